import {
  type EdgeStyle,
  type Picture,
  type PictureGroup,
  type PictureNode,
  type PictureShape,
  type PictureState,
  stateColors,
} from './picture.js';

/** Writes a picture as a Mermaid flowchart. Source: steps facts §16. */
export function toMermaid(picture: Picture): string {
  const lines = ['flowchart TD', ...groupLines(picture.root, '  ')];
  for (const { from, to, style, label } of picture.edges) {
    const text = label === undefined ? '' : `|"${escapeMermaid(label)}"|`;
    lines.push(`  ${from} ${arrows[style]}${text} ${to}`);
  }
  lines.push(...stateLines(picture.root));
  return `${lines.join('\n')}\n`;
}

/** A class per state, and the nodes that it colours. */
function stateLines(root: PictureGroup): string[] {
  const ids = new Map<PictureState, string[]>();
  for (const { id, state } of nodesOf(root))
    if (state !== undefined) ids.set(state, [...(ids.get(state) ?? []), id]);
  return [...ids].flatMap(([state, nodes]) => {
    const { fill, line } = stateColors[state];
    return [`  classDef ${state} fill:${fill},stroke:${line}`, `  class ${nodes.join(',')} ${state}`];
  });
}

function nodesOf({ nodes, groups }: PictureGroup): PictureNode[] {
  return [...nodes, ...groups.flatMap(nodesOf)];
}

const arrows: Readonly<Record<EdgeStyle, string>> = {
  normal: '-->',
  back: '-->',
  skip: '-.->',
  error: '-.->',
};

const brackets: Readonly<Record<PictureShape, readonly [string, string]>> = {
  action: ['["', '"]'],
  workflow: ['[["', '"]]'],
  control: ['{"', '"}'],
  terminal: ['(["', '"])'],
  start: ['(["', '"])'],
  end: ['(["', '"])'],
  join: ['(("', '"))'],
  junction: ['(("', '"))'],
};

function groupLines(group: PictureGroup, indent: string): string[] {
  return [
    ...group.nodes.map((node) => indent + nodeText(node)),
    ...group.groups.flatMap((inner) => [
      `${indent}subgraph ${inner.id}["${escapeMermaid(inner.title)}"]`,
      ...groupLines(inner, `${indent}  `),
      `${indent}end`,
    ]),
  ];
}

function nodeText({ id, shape, lines }: PictureNode): string {
  const [open, close] = brackets[shape];
  return `${id}${open}${lines.length === 0 ? ' ' : lines.map(escapeMermaid).join('<br/>')}${close}`;
}

/**
 * Text for a quoted Mermaid label. Quotes become apostrophes (facts §16); what Mermaid or the HTML inside its labels
 * would read as syntax becomes an entity code. A lone `<` or `&` stays readable, as in `. < 3`.
 */
export function escapeMermaid(text: string): string {
  const escaped = text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/#/g, '#35;')
    .replace(/"/g, "'")
    .replace(/\\/g, '#92;')
    .replace(/`/g, '#96;')
    .replace(/<(?=[a-z/!?])/gi, '#lt;')
    .replace(/&(?=[a-z#])/gi, '#amp;')
    .replace(/%(?=[%{])/g, '#37;')
    .replace(/\$(?=\$)/g, '#36;')
    .replace(/\b(fa[a-z]?):(?=fa-)/g, '$1#58;');
  // Mermaid takes no label without a character.
  return escaped === '' ? ' ' : escaped;
}
