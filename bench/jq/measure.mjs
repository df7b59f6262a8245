// Measures one contender on one case and prints JSON: node measure.mjs own|wasm|jqjs NAME
// The time is the median of several rounds; noise is the spread of the middle half of the rounds in percent.
import { cases, sources } from './cases.mjs';

const [contender, name] = process.argv.slice(2);
const budget = { steps: 1e12, outputs: 1e12 };

/** Microseconds of one call. */
function measure(call, milliseconds = 1500) {
  const started = performance.now();
  call();
  const once = Math.max(performance.now() - started, 0.0005);
  let repeats = Math.max(1, Math.min(1_000, Math.round(milliseconds / 30 / once)));
  if (once < 50) {
    for (let warm = 0; warm < 2_000 && performance.now() - started < 300; warm++) call();
    const from = performance.now();
    for (let index = 0; index < repeats; index++) call();
    const each = Math.max((performance.now() - from) / repeats, 0.00001);
    repeats = Math.max(1, Math.min(1_000_000, Math.round(milliseconds / 30 / each)));
  }
  const rounds = [];
  const end = performance.now() + milliseconds;
  do {
    const from = performance.now();
    for (let index = 0; index < repeats; index++) call();
    rounds.push(((performance.now() - from) * 1000) / repeats);
  } while (performance.now() < end);
  rounds.sort((a, b) => a - b);
  const at = (part) => rounds[Math.floor((rounds.length - 1) * part)];
  return { time: at(0.5), noise: ((at(0.75) - at(0.25)) / at(0.5)) * 100 };
}

/** What to call for a contender. jq-wasm takes text; making it from the input is not counted. */
async function callFor(program, input) {
  if (contender === 'own') {
    const { compile } = await import('../../packages/jq/dist/index.js');
    const compiled = compile(program);
    return () => compiled.one(input, {}, { budget });
  }
  if (contender === 'jqjs') {
    const { default: jqjs } = await import('@michaelhomer/jqjs');
    const compiled = jqjs.compile(program);
    return () => [...compiled(input)];
  }
  const { loadJq } = await import('jq-wasm');
  const jq = await loadJq();
  const text = JSON.stringify(input);
  return () => {
    const { exitCode, stderr } = jq.raw(text, program, ['-c']);
    if (exitCode !== 0) throw new Error(stderr);
  };
}

async function compilerFor(source) {
  const { compile } =
    contender === 'own'
      ? await import('../../packages/jq/dist/index.js')
      : (await import('@michaelhomer/jqjs')).default;
  return () => compile(source);
}

const source = sources[name];
let call;
if (source !== undefined) call = await compilerFor(source);
else {
  const { program, input } = [...cases()].find((found) => found.name === name);
  call = await callFor(program, input);
}
console.log(JSON.stringify(measure(call)));
