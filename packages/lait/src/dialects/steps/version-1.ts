/** What became of the fields of version 1. Source: steps seed, バージョン 1 からの移行. */
const successors: Readonly<Record<string, string>> = {
  nodes: 'write each node into the step that uses it',
  use: 'write the step itself here; what was under nodes: needs no name of its own',
  type: 'the kind key alone says what a step does: prompt, agent, run, jq, …',
  system_prompt: "it is called 'system' in version 2",
  command: "it is called 'run' in version 2",
  write_file: 'add a step `- write: <path>` behind this one',
  json_schemas: "it is called 'schemas' in version 2: each entry is the schema itself or { file: … }",
  structured_output: "'output_schema' alone asks for structured output in version 2",
  workflow_timeout: "it is the top-level 'timeout' in version 2",
  loop: "write 'while' or 'until' with 'max_iterations' and 'steps' in the step itself",
  join: "shape the result with 'output' in version 2",
  branches: "'parallel' maps branch names to lists of steps in version 2",
  cases: "'switch' is the list of cases itself in version 2, with 'else' beside it",
  transform: "it is called 'jq' in version 2",
  vars: "values are declared under 'inputs' in version 2 and passed with --input",
};

/** What takes the place of a field of version 1; undefined for any other field. */
export function successorOf(key: string): string | undefined {
  return Object.hasOwn(successors, key) ? successors[key] : undefined;
}
