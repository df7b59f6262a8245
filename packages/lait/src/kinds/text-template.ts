import { StepError } from '../errors/errors.js';
import { TemplateError } from '../expressions/text-template/template-error.js';
import type { TextTemplate } from '../expressions/text-template/text-template.js';
import { completed, type Kind } from './kind.js';
import { namedInputs } from './named-inputs.js';

interface TextTemplateFields {
  template: TextTemplate;
}

/** Renders a text from its input. Source: graph facts §2.6. */
export const textTemplateKind: Kind<TextTemplateFields> = {
  name: 'text_template',
  shape: 'action',
  description: 'Renders a text from a template; the value is { text }.',
  effects: 'none',
  tellsInput: true,
  execute({ template }, { input }) {
    try {
      return completed({ text: template.render(namedInputs(input)) });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const place = error.line === undefined ? '' : ` in line ${error.line}`;
      throw new StepError({ code: 'template_failed', message: `template${place}: ${error.message}` });
    }
  },
};
