// Rewrites a bundled CommonJS chunk so that what it requires at its top is loaded when something of it is first used:
//
//   const require_yaml = require("./yaml.cjs");
//   require_yaml.parse(text);
//
// becomes
//
//   var $require_yaml; function require_yaml() { return $require_yaml ??= require("./yaml.cjs"); }
//   require_yaml().parse(text);
//
// A program then reads and compiles only what it runs, although the sources import at their top what they need
// somewhere.
import { parseAst } from 'vite';

/**
 * Throws when a required module is used in a way that cannot be rewritten, e.g. when its name is bound a second time.
 */
export function loadOnFirstUse(code) {
  const loads = new Map();
  const edits = [];
  for (const statement of parseAst(code).body) {
    if (statement.type === 'VariableDeclaration') {
      const kept = [];
      for (const { id, init, ...range } of statement.declarations) {
        const { start, end } = range;
        if (isRequire(init)) loads.set(id.name, code.slice(init.start, init.end));
        else kept.push({ id, init, text: code.slice(start, end), start, end });
      }
      if (kept.length === statement.declarations.length) edits.push(...uses(statement, loads));
      else if (kept.length === 0) edits.push({ ...rangeOf(statement), text: '' });
      else {
        throw new Error(
          `declared beside a require: ${code.slice(statement.start, statement.end).slice(0, 200)}`,
        );
      }
      continue;
    }
    if (statement.type !== 'ExpressionStatement') {
      edits.push(...uses(statement, loads));
      continue;
    }
    // The minifier joins statements with commas.
    const { expression } = statement;
    const parts = expression.type === 'SequenceExpression' ? expression.expressions : [expression];
    const kept = parts.filter((part) => {
      // Nothing of what is only required is used: there is nothing to load it for.
      if (isRequire(part)) return false;
      if (!isInterop(part, loads)) return true;
      const { left, right } = part;
      const [own, ...others] = right.arguments;
      const callee = applied(code, right.callee, uses(right.callee, loads));
      const rest = others.map((each) => `, ${code.slice(each.start, each.end)}`).join('');
      loads.set(left.name, `${callee}(${loads.get(own.name)}${rest})`);
      return false;
    });
    if (kept.length === parts.length) edits.push(...uses(statement, loads));
    else {
      const texts = kept.map((part) => applied(code, part, uses(part, loads)));
      edits.push({ ...rangeOf(statement), text: texts.length === 0 ? '' : `${texts.join(', ')};` });
    }
  }
  const head = [...loads].map(
    ([name, load]) => `var $${name}; function ${name}() { return $${name} ??= ${load}; }\n`,
  );
  return head.join('') + applied(code, { start: 0, end: code.length }, edits).trimStart();
}

const isRequire = (node) =>
  node?.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'require';

/** `name = interop(name, 1)`: a default export is made of a CommonJS module. */
const isInterop = (node, loads) =>
  node?.type === 'AssignmentExpression' &&
  node.left.type === 'Identifier' &&
  loads.has(node.left.name) &&
  node.right.type === 'CallExpression' &&
  node.right.arguments[0]?.name === node.left.name;

const rangeOf = ({ start, end }) => ({ start, end });

/** An edit for each use of a required module below a node. */
function uses(root, loads) {
  const found = [];
  const visit = (node, parent, key, constructed) => {
    if (node.type === 'Identifier' && loads.has(node.name)) {
      const isName =
        (parent.type === 'MemberExpression' && key === 'property' && !parent.computed) ||
        (/^(Property|MethodDefinition|PropertyDefinition)$/.test(parent.type) &&
          key === 'key' &&
          !parent.computed &&
          parent.shorthand !== true);
      if (isName) return;
      if (parent.type !== 'MemberExpression' || key !== 'object') {
        throw new Error(`${node.name} is used without a property, or bound again, in a ${parent.type}`);
      }
      // `new a().b()` would construct `a`.
      found.push({ ...rangeOf(node), text: constructed ? `(${node.name}())` : `${node.name}()` });
      return;
    }
    for (const [name, child] of Object.entries(node)) {
      const isCallee =
        (node.type === 'NewExpression' && name === 'callee') ||
        (constructed && node.type === 'MemberExpression' && name === 'object');
      for (const each of [child].flat())
        if (typeof each?.type === 'string') visit(each, node, name, isCallee);
    }
  };
  visit(root, {}, '', false);
  return found;
}

/** The code of a range after its edits. */
function applied(code, { start, end }, edits) {
  let text = '';
  let from = start;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    text += code.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return text + code.slice(from, end);
}
