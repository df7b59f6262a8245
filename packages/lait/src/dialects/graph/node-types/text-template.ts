import { TemplateError } from '../../../expressions/text-template/template-error.js';
import { compileTextTemplate, type TextTemplate } from '../../../expressions/text-template/text-template.js';
import { isObject, ownProperty } from '../../../values/value.js';
import { checkInputs } from './inputs.js';
import type { GraphNodeType } from './node-type.js';

/** Renders a text. Source: graph facts §2.6. */
export const textTemplateType: GraphNodeType = {
  type: 'text_template',
  description: 'Renders a text from a template.',
  keys: ['inputs', 'template'],
  check(node, check) {
    checkInputs(node, check, { code: 'text_template_inputs' });
    const source = ownProperty(node.config, 'template');
    if (typeof source !== 'string') {
      check.report(node, 'text_template_template', 'a text_template needs a template', 'template');
      return;
    }
    let template: TextTemplate;
    try {
      template = compileTextTemplate(source);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      check.report(
        node,
        'template',
        {
          message: `${error.line === undefined ? '' : `line ${error.line}: `}${error.message}`,
          misnamed: error.misnamed,
        },
        'template',
      );
      return;
    }
    const inputs = ownProperty(node.config, 'inputs') ?? {};
    for (const name of template.variables) {
      if (!isObject(inputs) || !Object.hasOwn(inputs, name))
        check.report(
          node,
          'template',
          {
            message: `'${name}' is none of the inputs`,
            misnamed: { name, known: isObject(inputs) ? Object.keys(inputs) : [] },
          },
          'template',
        );
    }
  },
  output: () => ({
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  }),
  lower: (node, lowering) => ({
    kind: 'text_template',
    fields: { template: compileTextTemplate(node.config.template as string) },
    input: lowering.value(node.config.inputs ?? {}),
  }),
};
