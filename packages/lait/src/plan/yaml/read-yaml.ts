import { Composer, type Document, type ParsedNode } from 'yaml';
import { YamlBoundsError, yamlTokens } from '../../files/yaml-tokens.js';
import { findJsonProblem } from '../../values/json-problem.js';
import type { Problems } from '../problems.js';
import { NodeConverter } from './node-converter.js';
import { readJson } from './read-json.js';
import { type SourceNode, shorten } from './source-node.js';

/**
 * Reads YAML 1.2 (core schema), JSON included, into nodes with places. Everything that is wrong is added to
 * `problems`; the result is undefined when nothing can be used.
 *
 * @param text what to read instead of the whole source; places in it are places in the source
 * @param emptyHint what a file of this sort holds at least
 */
export function readYaml(
  problems: Problems,
  text = problems.source.text,
  emptyHint?: string,
): SourceNode | undefined {
  if (!checkCharacters(text, problems)) return undefined;
  const json = readJson(text);
  if (json !== undefined) return json;
  const document = compose(text, problems);
  if (document === undefined) return undefined;
  if (document.contents === null) {
    problems.add({
      code: 'empty_file',
      message: 'the file is empty',
      hint: emptyHint,
      range: { start: 0, end: 0 },
    });
    return undefined;
  }
  const root = new NodeConverter(text, problems).convert(document.contents as ParsedNode);
  return problems.errors > 0 ? undefined : root;
}

/** Whoever writes JSON is not helped by how YAML would have it. */
function isMeantAsJson(file: string, text: string): boolean {
  return /^\s*[{[]/.test(text) && !/\.(ya?ml|md)$/i.test(file);
}

function checkCharacters(text: string, problems: Problems): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that YAML forbids
  const found = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(text);
  if (found === null) return true;
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  problems.add({
    code: 'control_character',
    message: `the file holds the control character U+${code}${code === '0000' ? ' (NUL): it is damaged, binary, or not UTF-8' : ''}`,
    range: { start: found.index, end: found.index + 1 },
  });
  return false;
}

function compose(text: string, problems: Problems): Document.Parsed | undefined {
  const tokens = tokenize(text, problems);
  if (tokens === undefined) return undefined;
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    strict: true,
    stringKeys: false,
    // Compared pair by pair in the library: a mapping with many keys would take forever.
    uniqueKeys: false,
  });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) return undefined;
  const { file } = problems.source;
  const inJson = document.errors.length > 0 && isMeantAsJson(file, text) ? findJsonProblem(text) : undefined;
  if (inJson !== undefined) {
    const { offset, message } = inJson;
    problems.add({ code: 'json_syntax', message, range: { start: offset, end: offset + 1 } });
    return undefined;
  }
  for (const { code, message, pos } of document.errors) {
    const range = { start: pos[0], end: pos[1] };
    if (code === 'TAB_AS_INDENT') {
      problems.add({ code: 'yaml_tab', message: 'a tab cannot indent YAML: use spaces', range });
    } else {
      problems.add({ code: 'yaml_syntax', message: lowerFirst(message), hint: repairs[code], range });
    }
  }
  for (const { code, message, pos } of document.warnings) {
    const range = { start: pos[0], end: pos[1] };
    if (code === 'TAG_RESOLVE_FAILED') {
      problems.add({
        code: 'yaml_tag',
        message: `unknown tag ${shorten(text.slice(pos[0], pos[1]))}: remove it`,
        hint: 'text that starts with `!` must be in quotes',
        range,
      });
    } else {
      problems.add({ code: 'yaml_syntax', message: lowerFirst(message), range });
    }
  }
  if (second !== undefined) {
    const [start] = second.range;
    problems.add({
      code: 'yaml_documents',
      message: 'a file holds one document: remove `---` and what follows',
      range: { start, end: start + 3 },
    });
  }
  return problems.errors > 0 ? undefined : document;
}

/** What usually helps, by the library's code. */
const repairs: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY:
    'text that holds `: ` must be in quotes; otherwise check the indentation of the next line',
  BAD_SCALAR_START: 'put the text in quotes',
  BAD_DQ_ESCAPE: 'a backslash escapes in double quotes: write it twice, or use single quotes',
  MISSING_CHAR: 'something is opened before and never closed',
  MULTILINE_IMPLICIT_KEY: 'check the indentation: keys of one mapping stand in one column',
  BAD_INDENT: 'check the indentation: keys of one mapping stand in one column',
};

/** The pieces of the text, or undefined when they are too many or too deep. */
function tokenize(text: string, problems: Problems): ReturnType<typeof yamlTokens> | undefined {
  try {
    return yamlTokens(text);
  } catch (error) {
    if (!(error instanceof YamlBoundsError)) throw error;
    const { code, message, offset } = error;
    problems.add({ code, message, range: { start: offset, end: code === 'too_deep' ? offset + 1 : offset } });
    return undefined;
  }
}

function lowerFirst(message: string): string {
  const first = message.split('\n', 1)[0]!;
  return /^[A-Z][a-z]/.test(first) ? first[0]!.toLowerCase() + first.slice(1) : first;
}
