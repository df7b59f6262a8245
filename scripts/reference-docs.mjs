// Writes what the documentation takes from the code: the tables of fields in docs/steps, docs/errors.md, and the JSON
// Schemas of docs/schemas. The text around the tables is written by hand.
//   node scripts/reference-docs.mjs        (a test fails while a page is behind the code)
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('../docs', import.meta.url));

/** A type of a field as people read it. */
export function typeName(type) {
  switch (type.type) {
    case 'jq':
      return 'jq expression';
    case 'template':
      return 'template';
    case 'text':
      return 'text';
    case 'integer':
    case 'number': {
      const name = type.type === 'integer' ? 'whole number' : 'number';
      const { minimum, maximum } = type;
      if (minimum !== undefined && maximum !== undefined) return `${name}, ${minimum} to ${maximum}`;
      return minimum === undefined ? name : `${name}, at least ${minimum}`;
    }
    case 'boolean':
      return '`true` or `false`';
    case 'choice':
      return type.values.map((value) => `\`${value}\``).join(', ');
    case 'list':
      return `list: ${typeName(type.items)}${type.minItems > 0 ? `, at least ${type.minItems}` : ''}`;
    case 'map':
      return `names to: ${typeName(type.values)}`;
    case 'object':
      return 'mapping';
    case 'variants':
      return `mapping, by \`${type.tag}\``;
    case 'block':
      return 'list of steps';
    case 'schema':
      return type.unnamed
        ? 'JSON Schema, or `{ file: … }`'
        : 'name of `schemas:`, JSON Schema, or `{ file: … }`';
    case 'union':
      return type.options.map(typeName).join(', or ');
    case 'json':
      return 'any value';
    case 'empty':
      return 'nothing';
    case 'custom':
      return type.name === 'schema' ? 'JSON Schema' : type.name;
    default:
      throw new Error(`the documentation has no name for fields of type ${type.type}`);
  }
}

/** Cells of Markdown tables hold no bars and no HTML. */
const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ');

/** The rows of a table, and behind each mapping the rows of its own fields. */
function rows(table, prefix) {
  return Object.entries(table).flatMap(([name, field]) => {
    const required = field.required === true ? 'yes' : '';
    const needs = field.requires === undefined ? '' : ` Only with \`${field.requires}\`.`;
    const row = `| \`${prefix}${name}\` | ${cell(typeName(field))} | ${required} | ${cell(field.description)}${needs} |`;
    return [row, ...inner(field, `${prefix}${name}`)];
  });
}

function inner(type, name) {
  if (type.type === 'object') return rows(type.fields, `${name}.`);
  if (type.type === 'list') return inner(type.items, `${name}[]`);
  if (type.type === 'map') return inner(type.values, `${name}.NAME`);
  if (type.type === 'union') return type.options.flatMap((option) => inner(option, name));
  if (type.type === 'variants') {
    return Object.entries(type.tables).flatMap(([tag, table]) => [
      `| \`${name}.${type.tag}: ${tag}\` | | | |`,
      ...rows(table, `${name}.`),
    ]);
  }
  return [];
}

/** A Markdown table of fields. */
export function fieldTable(table) {
  return ['| field | type | required | meaning |', '| --- | --- | --- | --- |', ...rows(table, '')].join(
    '\n',
  );
}

const section = (name) =>
  new RegExp(`(<!-- ${name}: made by scripts/reference-docs.mjs -->\\n)[\\s\\S]*?(<!-- end -->)`);

/** A page with the text between its marks replaced. Throws when the page has no such marks. */
export function withSection(page, name, text) {
  if (!section(name).test(page)) throw new Error(`the page has no section '${name}'`);
  return page.replace(section(name), (_, begin, end) => `${begin}\n${text}\n\n${end}`);
}

/** docs/errors.md. */
export function errorsPage(codes) {
  const entries = Object.entries(codes).map(
    ([code, { title, explanation, example }]) =>
      `## ${code}\n\n**${title}.** ${explanation.replaceAll('<', '&lt;')}\n\n\`\`\`yaml example\n${example}\n\`\`\``,
  );
  return `# Problems of definitions

<!-- made by scripts/reference-docs.mjs -->

Each problem that \`lait lint\` and \`lait run\` find in a definition has a code. \`lait explain CODE\` shows the same text at a
terminal. What goes wrong while a workflow runs is listed in [troubleshooting](troubleshooting.md) and
[models](models.md#when-a-server-does-not-answer); the codes of the dynamic form are in
[its page](dynamic.md#what-is-checked). \`lait explain\` lists the codes of all forms.

| code | problem |
| --- | --- |
${Object.entries(codes)
  .map(([code, { title }]) => `| [\`${code}\`](#${code}) | ${cell(title)} |`)
  .join('\n')}

${entries.join('\n\n')}
`;
}

/**
 * Every page that is made from the code, whole or in part, by its path below docs/.
 * `code`: kinds, commonStepFields, workflowFields, configFields, diagnosticCodes, documentSchemas.
 */
export function referencePages(code) {
  const read = (name) => readFileSync(join(docs, name), 'utf8');
  const pages = new Map();
  for (const kind of code.kinds.values()) {
    if (kind.fields === undefined) continue;
    const name = `steps/${kind.name}.md`;
    const common = Object.keys(code.commonStepFields).filter(
      (field) => kind.commonFields?.includes(field) ?? true,
    );
    const names = common.map((field) => `\`${field}\``).join(', ');
    const also = `And [fields of every step](../steps.md#fields-of-every-step): ${names}.`;
    pages.set(name, withSection(read(name), 'fields', `${fieldTable(kind.fields)}\n\n${also}`));
  }
  let steps = read('steps.md');
  const kindRows = [...code.kinds.values()]
    .filter(({ fields }) => fields !== undefined)
    .map(({ name, description }) => `| [\`${name}\`](steps/${name}.md) | ${cell(description)} |`);
  steps = withSection(steps, 'kinds', ['| kind | what it does |', '| --- | --- |', ...kindRows].join('\n'));
  steps = withSection(steps, 'common fields', fieldTable(code.commonStepFields));
  steps = withSection(steps, 'file fields', fieldTable(shallow(code.workflowFields)));
  pages.set('steps.md', steps);
  const page = withSection(read('configuration-reference.md'), 'fields', fieldTable(code.configFields));
  pages.set('configuration-reference.md', page);
  pages.set('errors.md', errorsPage(code.diagnosticCodes));
  for (const [name, schema] of Object.entries(code.documentSchemas)) {
    pages.set(`schemas/${name}.json`, `${JSON.stringify(schema(), null, 2)}\n`);
  }
  return pages;
}

/** The same table without the fields of its mappings. */
function shallow(table) {
  return Object.fromEntries(
    Object.entries(table).map(([name, field]) => [
      name,
      field.type === 'object' || (field.type === 'map' && field.values.type !== 'union')
        ? { ...field, type: 'custom', name: 'mapping' }
        : field,
    ]),
  );
}

/** Pages of docs/steps that no kind stands behind. */
export function strayPages(kinds) {
  return readdirSync(join(docs, 'steps')).filter(
    (name) => kinds.get(name.replace(/\.md$/, ''))?.fields === undefined,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = (path) => import(`../packages/lait/dist/${path}.js`);
  const modules = await Promise.all(
    [
      'kinds/index',
      'dialects/steps/step-fields',
      'dialects/steps/workflow-fields',
      'config/config-fields',
      'plan/diagnostic-codes',
      'cli/document-schemas',
    ].map(dist),
  );
  for (const [name, text] of referencePages(Object.assign({}, ...modules))) {
    const file = join(docs, name);
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
}
