import type { FieldTable, FieldType } from '../plan/fields.js';
import { checkSchema } from '../schema/check-schema.js';
import { checkGraphSchema } from '../schema/graph-schema.js';
import { isObject } from '../values/value.js';

const schema = {
  type: 'custom',
  name: 'schema',
  schema: { type: 'object' },
  check: (value) => {
    if (!isObject(value)) return [{ path: [], message: 'a schema must be a mapping' }];
    return checkSchema(value).filter(({ severity }) => severity === 'error');
  },
} as const satisfies FieldType;

const hosts = { type: 'list', items: { type: 'text', notBlank: true } } as const satisfies FieldType;

/** One entry of `capabilities:`. Source: graph facts §10. */
export const capabilityFields = {
  label: { type: 'text', description: 'What editors call it.' },
  description: { type: 'text', description: 'What it does.' },
  enabled: { type: 'boolean', description: 'Whether it may be called. Default true.' },
  approval_policy: {
    type: 'choice',
    values: ['auto', 'plan_required'],
    description: 'Whether runs with it need consent. Default plan_required, auto for what only reads.',
  },
  read_only: { type: 'boolean', description: 'It changes nothing outside. Default false.' },
  idempotent: { type: 'boolean', description: 'Calling it twice with one activation id does no harm.' },
  effects: {
    type: 'list',
    items: { type: 'text', notBlank: true },
    description: 'What a successful call achieves.',
  },
  input_schema: { ...schema, description: 'JSON Schema of its inputs; unknown inputs are refused.' },
  output_schema: { ...schema, description: 'JSON Schema of its output.' },
  target_schema: {
    type: 'custom',
    name: 'schema',
    schema: { type: 'object' },
    check: (value) => checkGraphSchema(value),
    description: 'JSON Schema of the target that nodes must name.',
  },
  strict_allowed: { type: 'boolean', description: 'Whether nodes may set fail_on_output_mismatch.' },
  contract: {
    type: 'choice',
    values: ['structured', 'receipt', 'opaque'],
    description: 'Which parts of its output other nodes may read. Absent: all.',
  },
  tool: {
    type: 'text',
    notBlank: true,
    description: 'The tool behind it: a name of tools:, or SERVER__TOOL.',
  },
  workflow: { type: 'text', notBlank: true, description: 'The workflow behind it: a path or a name.' },
  http: {
    type: 'object',
    fields: {
      method: {
        type: 'choice',
        values: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        description: 'Default POST.',
      },
      url: { type: 'text', notBlank: true, required: true, description: 'The address. ${VAR} is replaced.' },
      headers: {
        type: 'map',
        names: 'any',
        values: { type: 'text' },
        description: 'Headers of each request. ${VAR} is replaced.',
      },
      timeout_seconds: { type: 'number', minimum: 0, description: 'Default 30.' },
    },
    description: 'The request behind it: the inputs are its JSON body, or its query.',
  },
  root: {
    type: 'text',
    notBlank: true,
    description: 'file_read, file_write: the directory they are confined to.',
  },
  max_bytes: {
    type: 'integer',
    minimum: 1,
    description: 'file_read, http_request: most bytes read. Default 1048576.',
  },
  allowed_hosts: {
    ...hosts,
    description: 'http_request: hosts that may be called; *.example.com for subdomains.',
  },
  allowed_private_hosts: {
    ...hosts,
    description: 'http_request: hosts that may be called although their addresses are private.',
  },
  timeout_seconds: { type: 'number', minimum: 0, description: 'http_request: seconds per call. Default 30.' },
} as const satisfies FieldTable;
