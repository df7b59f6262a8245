import { z } from 'zod';
import { json, jsonObject } from './schemas.js';

/** What a workflow of any form is called with, as parts of a body. */
export const callFields = {
  input: json.optional().describe('The piped value of the steps form, the input of the dynamic form.'),
  inputs: jsonObject.optional().describe('Named inputs of the steps and graph forms.'),
  state: jsonObject.optional().describe('Shared state of the dynamic form at the start.'),
  request_context: jsonObject.optional().describe('Values that travel along in the dynamic form.'),
  priority: z.int().min(-1000).max(1000).optional().describe('Higher ones are begun first. Default 0.'),
  skip_approval: z
    .boolean()
    .optional()
    .describe('Begins without a person’s consent; needs the scope `answer`.'),
};
