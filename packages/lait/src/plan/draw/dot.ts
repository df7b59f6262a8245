import stringWidth from 'string-width';
import {
  type EdgeStyle,
  type Picture,
  type PictureGroup,
  type PictureNode,
  type PictureShape,
  type PictureState,
  stateColors,
} from './picture.js';

/** More shapes than this are laid out in a simpler way: the fine one takes minutes. */
const large = 100;
const veryLarge = 500;

/** Writes a picture in Graphviz's DOT language. Source: steps facts §16. */
export function toDot(picture: Picture): string {
  const size = countNodes(picture.root);
  const layout = [
    ...(size > large ? ['nslimit=1', 'nslimit1=1', 'mclimit=0.1', 'maxiter=50'] : []),
    ...(size > veryLarge ? ['splines=line'] : []),
  ];
  const lines = [
    'digraph workflow {',
    `  graph [${['fontname="Arial"', 'rankdir=TB', ...layout].join(', ')}];`,
    '  node [fontname="Arial"];',
    '  edge [fontname="Arial", fontsize=11];',
    ...groupLines(picture.root, '  '),
  ];
  for (const { from, to, style, label } of picture.edges) {
    // The dashes say it, too; each label costs the layout as much as a shape.
    const shown = size > large && style === 'skip' ? undefined : label;
    const attributes = [
      ...(shown === undefined ? [] : [`label=${quoted([shown])}`]),
      ...edgeAttributes[style],
    ];
    lines.push(`  ${from} -> ${to}${attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`};`);
  }
  lines.push('}');
  return `${lines.join('\n')}\n`;
}

function countNodes(group: PictureGroup): number {
  return group.groups.reduce((count, inner) => count + countNodes(inner), group.nodes.length);
}

const edgeAttributes: Readonly<Record<EdgeStyle, readonly string[]>> = {
  normal: [],
  back: ['constraint=false'],
  skip: ['style=dashed'],
  error: ['style=dashed', 'color="#b3261e"', 'fontcolor="#b3261e"'],
};

const nodeAttributes: Readonly<Record<PictureShape, readonly string[]>> = {
  action: ['shape=box'],
  workflow: ['shape=box', 'peripheries=2'],
  control: ['shape=diamond'],
  terminal: ['shape=ellipse'],
  start: ['shape=ellipse'],
  end: ['shape=ellipse'],
  join: ['shape=circle'],
  junction: ['shape=point'],
};

function groupLines(group: PictureGroup, indent: string): string[] {
  return [
    ...group.nodes.map((node) => indent + nodeText(node)),
    ...group.groups.flatMap((inner) => [
      `${indent}subgraph cluster_${inner.id} {`,
      `${indent}  label=${quoted([inner.title])};`,
      ...groupLines(inner, `${indent}  `),
      `${indent}}`,
    ]),
  ];
}

function nodeText({ id, shape, lines, state }: PictureNode): string {
  const attributes = [
    `label=${quoted(lines)}`,
    ...nodeAttributes[shape],
    ...widthFor(lines),
    ...stateAttributes(state),
  ];
  return `${id} [${attributes.join(', ')}];`;
}

function stateAttributes(state: PictureState | undefined): string[] {
  if (state === undefined) return [];
  const { fill, line } = stateColors[state];
  return ['style=filled', `fillcolor="${fill}"`, `color="${line}"`];
}

/** Inches that one terminal column of text takes. */
const inchesPerColumn = 0.1;

/** Graphviz does not know how wide Japanese or an emoji is drawn: it is told. */
function widthFor(lines: readonly string[]): string[] {
  if (lines.every((line) => /^[\x20-\x7e…]*$/.test(line))) return [];
  const columns = Math.max(...lines.map((line) => stringWidth(line)));
  return [`width=${(columns * inchesPerColumn + 0.3).toFixed(2)}`];
}

/** Graphviz breaks off at a line without a character, so that such a line is a blank. */
function quoted(lines: readonly string[]): string {
  return `"${lines.map((line) => escapeDot(line) || ' ').join('\\n')}"`;
}

/** Text for a quoted DOT label: quotes and backslashes escaped, entities kept as they are written. */
function escapeDot(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\\"]/g, '\\$&')
    .replace(/&(?=#?\w+;)/g, '&amp;');
}
