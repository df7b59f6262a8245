import type { Expression } from '../expressions/expression.js';
import type { ModelSettings, ToolSelection } from '../plan/settings.js';
import {
  attachmentFields,
  modelSettingFields,
  schemaFields,
  toolSelectionFields,
} from '../plan/settings-fields.js';
import type { SchemaSource } from '../schema/schema-source.js';
import { type AttachmentFields, attachesFiles, attachmentExpressions, userMessage } from './attachments.js';
import { runConversation } from './conversation.js';
import { completed, type Kind } from './kind.js';
import { fallBack, offersTools } from './model-settings.js';
import { checkInput, outputFormat } from './schema-values.js';

export interface PromptFields extends ModelSettings, ToolSelection, AttachmentFields {
  prompt: Expression<string>;
  system?: Expression<string>;
  input_schema?: SchemaSource;
  output_schema?: SchemaSource;
  schema_name?: string;
}

/** `prompt`: asks a model. Source: steps seed, `prompt`; the order of work: facts §10. */
export const promptKind: Kind<PromptFields> = {
  name: 'prompt',
  shape: 'action',
  description: 'Asks a model; the value is its reply, or the parsed JSON of a structured reply.',
  fields: {
    prompt: { type: 'template', required: true, description: 'The user message.' },
    system: { type: 'template', description: 'The system prompt. Default: system under default:.' },
    ...modelSettingFields,
    ...toolSelectionFields,
    ...attachmentFields,
    ...schemaFields,
  },
  callsModel: true,
  effects: 'rerun',
  reaches: (fields) =>
    attachesFiles(fields) ||
    fields.input_schema?.file !== undefined ||
    fields.output_schema?.file !== undefined
      ? ['files']
      : [],
  readsAllSteps: (fields) => fields.system === undefined,
  replyIsValue: (fields, { settings, defaults }) =>
    fields.output_schema === undefined && !offersTools(fields, settings.defaults, defaults),
  expressions: ({ prompt, system, ...attachments }) => [
    { name: 'prompt', expression: prompt },
    ...(system === undefined ? [] : [{ name: 'system', expression: system }]),
    ...attachmentExpressions(attachments),
  ],
  modelUse(fields, { settings: { defaults }, services }) {
    const system = fields.system ?? defaults.system;
    return {
      ...fallBack(fields, defaults, services.models.defaults),
      ...(system === undefined ? {} : { system }),
      ...(fields.output_schema === undefined ? {} : { outputSchema: fields.output_schema }),
    };
  },
  async execute(fields, context) {
    const { models } = context.services;
    const { defaults } = context.settings;
    await checkInput(fields.input_schema, context);
    const { settings, selection } = fallBack(fields, defaults, models.defaults);
    const output = await outputFormat(fields.output_schema, fields.schema_name, context.cancel.signal);
    const prompt = context.evaluate(fields.prompt);
    const systemPrompt = fields.system ?? defaults.system;
    const system = systemPrompt === undefined ? undefined : context.evaluate(systemPrompt);
    const message = await userMessage(prompt, fields, context);
    const { value } = await runConversation(
      { settings, selection, aliases: context.settings.models, system, messages: [message], output },
      context,
    );
    return completed(value);
  },
};
