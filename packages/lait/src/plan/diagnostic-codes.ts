/** What `lait explain CODE` shows. */
export interface DiagnosticExplanation {
  title: string;
  /** One paragraph: when it appears, why it is a problem, how to repair it. Absent: the title says it all. */
  explanation?: string;
  /** A definition that shows it, or its repair. */
  example?: string;
}

/** Every code that a problem of a steps workflow, an agent file or the configuration can have. A closed set. */
export const diagnosticCodes = {
  // ------------------------------------------------------------ the file as text
  file_not_found: {
    title: 'The file does not exist',
    explanation:
      'A path is relative to the directory of the file that names it, or to the current directory on the command line.',
    example: 'lait run flows/triage.yml',
  },
  file_unreadable: {
    title: 'The file cannot be read',
    explanation:
      'It is a directory, a socket, a pipe where none is allowed, or the permissions forbid reading it.',
    example: 'chmod u+r workflow.yml',
  },
  file_too_large: {
    title: 'The file is larger than 16 MiB',
    explanation:
      'Definitions, schemas and agent files are read up to 16 MiB. Data belongs in files that steps read.',
    example: 'steps:\n  - run: [cat, big.json]',
  },
  file_extension: {
    title: 'The file has another extension than definitions have',
    explanation:
      'Workflows end in .yml, .yaml or .json, agents in .md. A directory stands for the definitions below it.',
    example: 'lait lint flows/triage.yml',
  },
  file_not_utf8: {
    title: 'The file is not UTF-8',
    explanation: 'Definitions are UTF-8 text. Convert the file, for example with iconv.',
    example: 'iconv -f SHIFT_JIS -t UTF-8 old.yml > workflow.yml',
  },
  empty_file: {
    title: 'The file is empty',
    explanation: 'A workflow file holds at least `steps:` with one step.',
    example: 'steps:\n  - prompt: "{{ input }}"',
  },
  control_character: {
    title: 'The file holds a control character',
    explanation:
      'YAML forbids control characters such as NUL. The file is damaged, binary, or in an encoding like UTF-16.',
    example: 'jq: \'"\\u0007"\'   # write such a character as an escape',
  },
  lone_surrogate: {
    title: 'Half of a character',
    explanation:
      'An escape such as \\ud83d stands for one half of a character. Alone it is no text and cannot be sent anywhere.',
    example: 'name: "\\ud83d\\ude00"   # both halves, or the character itself',
  },
  too_complex: {
    title: 'Too much YAML in one file',
    explanation:
      'A file holds at most a million pieces of YAML. Split it into child workflows, or read data in a step.',
    example: 'steps:\n  - workflow: ./part-1.yml',
  },
  too_deep: {
    title: 'Nested too deep',
    explanation: 'A definition may be nested 200 levels deep. Deeper parts belong into child workflows.',
    example: 'steps:\n  - workflow: ./inner.yml',
  },
  too_many_problems: {
    title: 'More problems than are shown',
    explanation: 'Only the first 1,000 problems of a file are shown. Repair them and check again.',
    example: 'lait lint workflow.yml',
  },
  // --------------------------------------------------------------- JSON and YAML
  json_syntax: {
    title: 'Broken JSON',
    explanation:
      'The text is not JSON: the place is the first that cannot be read. Often a comma is missing or one too many, a quote is not closed, or there is a comment.',
    example: '{ "id": "greet", "inputSchema": {}, "outputSchema": {}, "graph": [] }',
  },
  yaml_syntax: {
    title: 'Broken YAML',
    explanation:
      'The text is not YAML 1.2. Often an indentation is off, a quote is not closed, or text with `: ` or `{` needs quotes.',
    example: 'prompt: "Answer: {{ input }}"',
  },
  yaml_tab: {
    title: 'A tab as indentation',
    explanation: 'YAML is indented with spaces only.',
    example: 'steps:\n  - jq: .',
  },
  yaml_tag: {
    title: 'Unknown YAML tag',
    explanation: 'Tags such as !include or !!binary mean nothing here. Values are plain JSON values.',
    example: 'output_schema: { file: schemas/city.json }',
  },
  yaml_documents: {
    title: 'Several YAML documents',
    explanation: 'A file holds one document. Another workflow needs another file.',
    example: 'steps:\n  - workflow: ./second.yml',
  },
  yaml_alias: {
    title: 'An alias that cannot be followed',
    explanation:
      'An alias (*name) repeats the value with the anchor &name before it. It may not lie inside that value, and aliases may not multiply values without bound.',
    example: 'steps:\n  - &check { jq: ". > 0" }\n  - *check',
  },
  yaml_key: {
    title: 'A key that is no text',
    explanation: 'Keys are text; a list or a mapping cannot be a key.',
    example: 'steps:\n  - jq: .',
  },
  yaml_merge: {
    title: 'A merge key',
    explanation:
      'YAML 1.2 has no merge keys (`<<`). Write the fields out, use `default:`, or alias a whole value.',
    example: 'default: { model: local }',
  },
  duplicate_key: {
    title: 'A key appears twice',
    explanation: 'Which of the two values is meant cannot be known, so neither is taken.',
    example: 'steps:\n  - jq: .a\n  - jq: .b',
  },
  ambiguous_scalar: {
    title: 'Text that other tools may read differently',
    explanation:
      'Words such as yes, no, on, off, dates and times are text in YAML 1.2 but not in YAML 1.1. Quotes make them text everywhere.',
    example: 'choices: ["yes", "no"]',
  },
  // ------------------------------------------------------------ fields and values
  unknown_field: {
    title: 'A field that is not known here',
    explanation:
      'Each kind of step has its own fields; fields of another kind, and misspelt ones, are refused instead of ignored.',
    example: 'steps:\n  - prompt: "{{ input }}"\n    model: local',
  },
  missing_field: {
    title: 'A required field is missing',
    explanation: 'The message names the field. Add it.',
    example: 'steps:\n  - while: ". < 10"\n    max_iterations: 20\n    steps:\n      - jq: ". + 1"',
  },
  wrong_type: {
    title: 'A value of the wrong type',
    explanation:
      'YAML decides the type of a value by how it is written: 1.10 is a number, true a boolean. Put text in quotes.',
    example: 'choices: ["1", "2"]',
  },
  out_of_range: {
    title: 'A number outside its range',
    explanation: 'The message names the smallest and the largest value that is allowed.',
    example: 'temperature: 0.7   # 0.0 to 2.0',
  },
  bad_value: {
    title: 'A value that is not allowed',
    explanation:
      'The value has the right type but is none of the allowed ones, is blank, or does not fit another field.',
    example: 'steps:\n  - ask: "Send it?"\n    choices: ["yes", "no"]\n    default: "no"',
  },
  too_few_entries: {
    title: 'An empty list or mapping',
    explanation: 'Lists of steps, cases, branches and choices hold at least one entry.',
    example: 'on_error:\n  - jq: .error',
  },
  bad_name: {
    title: 'A name with characters that names cannot have',
    explanation:
      'Names of steps, inputs, schemas, agents and branches start with a letter or `_`, followed by letters, digits, `_` or `-`. Letters are those from a to z and A to Z; texts may be in any language.',
    example: 'id: first_draft',
  },
  lossy_integer: {
    title: 'An integer that loses digits',
    explanation: 'Integers beyond 9,007,199,254,740,991 cannot be held exactly. Write identifiers as text.',
    example: 'default: "12345678901234567890"',
  },
  requires_field: {
    title: 'A field without the one it belongs to',
    explanation:
      'Some fields mean something only together with another one, e.g. schema_name with output_schema.',
    example: 'output_schema: city\nschema_name: city_v2',
  },
  // ------------------------------------------------------------------- the workflow
  version_1: {
    title: 'A workflow file of version 1',
    explanation:
      'Version 1 defined `nodes:` and referred to them with `use:`. In version 2 each step says itself what it does. `lait migrate FILE` rewrites such a file and lists what a person must decide.',
    example: 'steps:\n  - id: extract\n    prompt: "Find the city: {{ input }}"',
  },
  unsupported_version: {
    title: 'An unknown version',
    explanation: 'The only version is 2; leave `version` out or write 2.',
    example: 'version: 2',
  },
  no_kind: {
    title: 'A step without a kind',
    explanation: 'A step has exactly one key that says what it does, such as prompt, run or jq.',
    example: 'steps:\n  - id: shout\n    jq: ascii_upcase',
  },
  several_kinds: {
    title: 'A step with several kinds',
    explanation: 'A step does one thing. Write one step after the other, or put them into a `group`.',
    example: 'steps:\n  - prompt: "Summarise: {{ input }}"\n  - write: summary.md',
  },
  duplicate_id: {
    title: 'An id is used twice',
    explanation: 'An id names one value of the whole file, nested steps included.',
    example:
      'steps:\n  - id: draft\n    prompt: "{{ input }}"\n  - id: final\n    prompt: "{{ steps.draft }}"',
  },
  jq_syntax: {
    title: 'A jq expression that cannot be compiled',
    explanation:
      'The syntax is wrong, or a function or variable does not exist. Variables are $steps, $inputs and $loop.',
    example: 'jq: ".items | map(.name)"',
  },
  template_syntax: {
    title: 'A template that cannot be compiled',
    explanation:
      'A placeholder or block is not closed, or a helper does not exist. A literal `{{` is written as `\\{{`.',
    example: 'prompt: "{{#each input}}- {{ this }}\\n{{/each}}"',
  },
  unknown_schema: {
    title: 'A schema name that is not defined',
    explanation: 'Text in a schema field is a name under `schemas:`. A file is written as { file: … }.',
    example: 'schemas:\n  city: { type: object }\nsteps:\n  - prompt: "{{ input }}"\n    output_schema: city',
  },
  bad_schema: {
    title: 'Something that is no JSON Schema',
    explanation:
      'A schema is a mapping; `type` is a name or a list of names, `properties` a mapping, `required` a list of names, `enum` a list.',
    example: 'schemas:\n  city: { type: object, properties: { name: { type: string } }, required: [name] }',
  },
  unknown_type_name: {
    title: 'A type that JSON Schema does not know',
    explanation:
      'Types are string, number, integer, boolean, object, array and null. An unknown type accepts every value.',
    example: 'inputs:\n  count: integer',
  },
  unknown_keyword: {
    title: 'A keyword that JSON Schema does not know',
    explanation:
      'What is declared under `inputs:` is a JSON Schema. A keyword that it does not have says nothing, and this one looks like a misspelt one.',
    example: 'inputs:\n  lang: { type: string, default: en }',
  },
  bad_default: {
    title: 'A default that breaks its own schema',
    explanation: 'The default of an input is checked like a value that is handed over.',
    example: 'inputs:\n  count: { type: integer, default: 5 }',
  },
  stop_in_concurrent: {
    title: 'stop inside a concurrent part',
    explanation:
      'Branches of parallel and items of a concurrent for_each cannot end the workflow. Decide after the step, from its value.',
    example: 'steps:\n  - parallel: { a: [{ jq: . }], b: [{ jq: . }] }\n  - when: .a == null\n    stop: true',
  },
  break_outside_loop: {
    title: 'break without a loop around it',
    explanation:
      'break ends the innermost for_each, while or until. A branch of parallel or a concurrent for_each lies between and cannot be crossed.',
    example: 'steps:\n  - for_each: .items\n    steps:\n      - when: . == null\n        break: true',
  },
  question_in_concurrent: {
    title: 'A question inside a concurrent part',
    explanation: 'Several questions at once cannot be told apart at a terminal. Ask before or after.',
    example:
      'steps:\n  - ask: "Go on?"\n    default: "yes"\n  - parallel: { a: [{ jq: . }], b: [{ jq: . }] }',
  },
  fixed_write_in_concurrent: {
    title: 'Concurrent items write the same file',
    explanation:
      'In a concurrent for_each the path must hold a template, so that items do not overwrite each other.',
    example: 'write: "out/{{ loop.index }}.md"',
  },
  agent_without_frontmatter: {
    title: 'An agent file without frontmatter',
    explanation: 'The first line of an agent file is `---`, then fields, then `---`, then the system prompt.',
    example: '---\nmodel: local\n---\nYou review code.\n{{ input }}',
  },
  // ---------------------------------------------------------------- found by lint
  undeclared_input: {
    title: 'An input that is not declared',
    explanation:
      'Every name read from inputs is declared under `inputs:`. In jq an undeclared one is null, in templates an error.',
    example: 'inputs:\n  lang: string\nsteps:\n  - prompt: "In {{ inputs.lang }}: {{ input }}"',
  },
  unknown_step: {
    title: 'A step that does not exist',
    explanation: 'Only steps with an id are recorded. In jq an unknown one is null, in templates an error.',
    example: 'steps:\n  - id: draft\n    prompt: "{{ input }}"\n  - jq: $steps.draft',
  },
  step_not_visible: {
    title: 'A step whose value cannot be seen here',
    explanation:
      'The step runs later, in another branch, or inside a concurrent part whose records stay inside. Use the value of that part instead.',
    example: 'steps:\n  - id: both\n    parallel: { a: [{ jq: . }], b: [{ jq: . }] }\n  - jq: $steps.both.a',
  },
  unneeded_braces: {
    title: 'Three braces where two do the same',
    explanation:
      'Templates here never escape anything, so {{{ x }}} and {{& x }} print what {{ x }} prints. Two braces say that nobody has to wonder.',
    example: 'prompt: "Sum up {{ input }}"',
  },
  unknown_variable: {
    title: 'A template variable that does not exist',
    explanation:
      'Templates know input, steps, inputs and loop. Inside {{#each}} and {{#with}} the fields of the element too.',
    example: 'prompt: "{{ input.city }}"',
  },
  unused_schema: {
    title: 'A schema that nothing uses',
    explanation: 'Remove it, or name it in a schema field.',
    example: 'output_schema: city',
  },
  unused_agent: {
    title: 'An agent that nothing uses',
    explanation: 'Remove it, or call it with an `agent` step.',
    example: 'steps:\n  - agent: reviewer',
  },
  loop_outside_loop: {
    title: 'loop outside a loop',
    explanation:
      'loop.index and loop.item exist only inside the steps of for_each, while and until. Elsewhere loop is null, and reading a field of it in a template is an error.',
    example: 'steps:\n  - for_each: .items\n    steps:\n      - write: "out/{{ loop.index }}.md"',
  },
  assignment_as_condition: {
    title: 'A condition that assigns',
    explanation:
      'In jq `.a = "b"` gives the whole input with another `a`, and that always counts as true. `==` compares.',
    example: 'steps:\n  - when: .kind == "urgent"\n    prompt: "{{ input }}"',
  },
  constant_condition: {
    title: 'A condition that never changes',
    explanation:
      'The `when` reads nothing, so that the step always or never runs. Remove it, or ask about a value.',
    example: 'steps:\n  - when: .items | length > 0\n    jq: .items[0]',
  },
  unreachable_step: {
    title: 'A step that can never run',
    explanation:
      'A `stop` or `break` without `when` always ends the list of steps it stands in. What follows is never run.',
    example: 'steps:\n  - when: . == null\n    stop: true\n  - jq: .name',
  },
  impossible_reference: {
    title: 'A reference to what a schema rules out',
    explanation:
      'The value was checked against an output_schema or the declaration of an input, and this schema allows no such field there. In jq it gives null or an error, in templates an error.',
    example:
      'steps:\n  - id: find\n    prompt: "{{ input }}"\n    output_schema: { type: object, properties: { city: { type: string } }, additionalProperties: false }\n  - jq: $steps.find.city',
  },
  retry_repeats_effect: {
    title: 'A retry that may do something twice',
    explanation:
      'An attempt can fail after it has done its work. A program that sends or changes something should recognise the repetition by the variable LAIT_IDEMPOTENCY_KEY, which is the same in every attempt, or the retry should cover only what can be repeated.',
    example:
      'steps:\n  - run: [sh, -c, \'curl -sf -H "Idempotency-Key: $LAIT_IDEMPOTENCY_KEY" -d @- https://example.com/orders\']\n    retry: { max_attempts: 3 }',
  },
  unregistered_name: {
    title: 'A name that the configuration does not have',
    explanation:
      'MCP servers, skills, subagents, tools and workflows are registered in lait.config.yml and used by name.',
    example: 'mcp_servers:\n  files: { command: my-file-server }',
  },
  unknown_agent: {
    title: 'An agent that does not exist',
    explanation:
      'The value of `agent` is a name under `agents:` of the file, a path to a Markdown file, or a name under `agents:` of lait.config.yml.',
    example: 'agents:\n  reviewer: { system: "You review code." }\nsteps:\n  - agent: reviewer',
  },
  unreadable_agent: {
    title: 'An agent file that cannot be used',
    explanation: 'The file is missing, cannot be read, or has problems of its own, which are listed with it.',
    example: 'steps:\n  - agent: ./agents/reviewer.md',
  },
  unreadable_schema: {
    title: 'A schema file that cannot be used',
    explanation:
      'A file in { file: … } is JSON that holds a schema. Its path starts at the directory of the file that names it.',
    example: 'output_schema: { file: schemas/city.json }',
  },
  unreadable_workflow: {
    title: 'A child workflow that cannot be used',
    explanation: 'The file is missing, cannot be read, or has problems of its own, which are listed with it.',
    example: 'steps:\n  - workflow: ./shared/summarize.yml',
  },
  workflow_cycle: {
    title: 'Workflows that call each other in a circle',
    explanation: 'Such a run would never end. Let one of them return its result instead of calling back.',
    example: 'steps:\n  - while: .more\n    max_iterations: 10\n    steps:\n      - workflow: ./page.yml',
  },
  empty_allowed_tools: {
    title: 'A server none of whose tools may be called',
    explanation: 'An empty `allowed_tools` allows nothing. Leave the key out to allow every tool.',
    example: 'mcp_servers:\n  files: { command: my-file-server, allowed_tools: [read_file] }',
  },
  unreadable_entry: {
    title: 'An entry of the configuration that leads nowhere',
    explanation: 'The file or directory that it names does not exist, or cannot be read.',
    example: 'workflows:\n  triage: flows/triage.yml',
  },
} as const satisfies Readonly<Record<string, DiagnosticExplanation>>;

export type DiagnosticCode = keyof typeof diagnosticCodes;
