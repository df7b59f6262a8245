// Keeps the walls of docs/architecture.md: which room may import which, and that no import circle exists.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages', 'lait', 'src');

/** Rooms from the ground up. A room imports from its own and from lower floors only (type imports count too). */
const floors = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'floors.json'), 'utf8'));
const floorOf = new Map(floors.flatMap((rooms, floor) => rooms.map((room) => [room, floor])));

function files(directory) {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) return files(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

/** `models` for models/chat/client.ts; the file's own name for files at the top. */
function roomOf(path) {
  const name = relative(root, path);
  return name.includes('/') ? name.slice(0, name.indexOf('/')) : name;
}

/** What differs by form is a trait of its dialect; only the interfaces that are one form's own ask for it by name. */
const asksForForm = /\bform(Of\w*)?\b[^\n]*[!=]== '(steps|dynamic|graph)'/i;
const ofOneForm = /^(dialects|server[\\/]compatible)[\\/]/;

const problems = [];
const imports = new Map();
for (const file of files(root)) {
  const text = readFileSync(file, 'utf8');
  const runtimeTargets = [];
  if (!ofOneForm.test(relative(root, file)) && asksForForm.test(text))
    problems.push(`${relative(root, file)} asks for the name of a form: ask dialectOf(form) for a trait`);
  const pattern = /^(import|export)\s+(type\s+)?[^;]*?from\s+'(\.[^']+)'/gms;
  for (const [, , typeOnly, specifier] of text.matchAll(pattern)) {
    const target = resolve(dirname(file), specifier).replace(/\.js$/, '.ts');
    if (typeOnly === undefined) runtimeTargets.push(target);
    const [from, to] = [roomOf(file), roomOf(target)];
    if (from === to) continue;
    for (const room of [from, to])
      if (!floorOf.has(room)) problems.push(`${room} is on no floor of scripts/floors.json`);
    const climbs = floorOf.get(to) > floorOf.get(from);
    // Contracts between neighbours are types; code may only be taken from below.
    if (climbs && typeOnly === undefined)
      problems.push(`${relative(root, file)} imports ${relative(root, target)} from a floor above`);
  }
  imports.set(file, runtimeTargets);
}

const state = new Map();
function visit(file, trail) {
  if (state.get(file) === 'done') return;
  if (state.get(file) === 'open') {
    const circle = [...trail.slice(trail.indexOf(file)), file].map((path) => relative(root, path));
    problems.push(`import circle: ${circle.join(' -> ')}`);
    return;
  }
  state.set(file, 'open');
  for (const target of imports.get(file) ?? []) visit(target, [...trail, file]);
  state.set(file, 'done');
}
for (const file of imports.keys()) visit(file, []);

for (const problem of new Set(problems)) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`layering: ${imports.size} files keep the floors`);
