import type { FieldTable, FieldType } from '../plan/fields.js';

const runs = { type: 'integer', minimum: 1 } as const satisfies FieldType;

/** `server:` of lait.config.yml. */
export const serverFields = {
  database: {
    type: 'text',
    notBlank: true,
    description:
      'Where runs are kept: the path of a SQLite file, or postgres://… Default .lait/lait.db. ${VAR} is replaced.',
  },
  allow: {
    type: 'list',
    items: { type: 'choice', values: ['run', 'write', 'files', 'endpoints'] },
    description:
      'What definitions that came over HTTP may do with this machine: start programs, write files, read files, name model servers. Default: nothing of it.',
  },
  allowed_hosts: {
    type: 'list',
    items: { type: 'text', notBlank: true },
    description: 'Further names that clients call the server by, as name or name:port.',
  },
  require_token: {
    type: 'boolean',
    description: 'Asks programs of this machine for a token, too. Default false.',
  },
  max_body_bytes: {
    type: 'integer',
    minimum: 1024,
    description: 'Longest body of a request, in bytes. Default 4194304.',
  },
  rate_limit: {
    type: 'object',
    fields: {
      per_second: { type: 'number', minimum: 0.01, required: true, description: 'Requests a second.' },
      burst: { type: 'integer', minimum: 1, required: true, description: 'How many may come at once.' },
    },
    description: 'Requests of one token or address. Default 200 a second, 1000 at once.',
  },
  concurrency: {
    type: 'integer',
    minimum: 0,
    description: 'How many runs a process works on at once; 0: it serves HTTP only. Default 16.',
  },
  limits: {
    type: 'object',
    fields: {
      total: { ...runs, description: 'Of all workflows.' },
      per_workflow: { ...runs, description: 'Of each workflow.' },
      workflows: { type: 'map', names: 'any', values: runs, description: 'Of single workflows, by id.' },
    },
    description: 'How many runs may be worked on in all processes together. Default: any number.',
  },
  lease_seconds: {
    type: 'integer',
    minimum: 3,
    description: 'After so long without a sign of life the runs of a process are taken over. Default 30.',
  },
  resume: {
    type: 'choice',
    values: ['automatic', 'explicit'],
    description:
      'Whether runs of a process that was stopped or lost go on by themselves, or wait as interrupted. Default automatic.',
  },
  stop_grace_seconds: {
    type: 'integer',
    minimum: 0,
    description: 'How long runs may go on when the server is stopped. Default 20.',
  },
  retention_days: {
    type: 'integer',
    minimum: 0,
    description: 'Runs that ended so many days ago are removed; 0 keeps them. Default 30.',
  },
  webhook_private_hosts: {
    type: 'list',
    items: { type: 'text', notBlank: true },
    description:
      'Hosts with private addresses that webhooks may be sent to, e.g. an internal service. Default: none.',
  },
  otlp: {
    type: 'text',
    notBlank: true,
    description: 'Base address of an OpenTelemetry collector for traces. ${VAR} is replaced.',
  },
} as const satisfies FieldTable;
