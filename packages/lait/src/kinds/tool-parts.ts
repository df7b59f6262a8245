import { compileDefinitionSchema } from '../schema/strip.js';
import type { RegisteredTool, ToolParts } from './services.js';

const compiled = new WeakMap<RegisteredTool, Map<boolean, ToolParts>>();

/**
 * A tool's parts: its own when it has them, else those of its JSON Schemas, which drop undeclared keys and apply
 * defaults. `strict` honours every keyword.
 */
export function toolPartsOf(tool: RegisteredTool, strict: boolean): ToolParts {
  if (tool.parts !== undefined) return tool.parts;
  let variants = compiled.get(tool);
  if (variants === undefined) {
    variants = new Map();
    compiled.set(tool, variants);
  }
  let parts = variants.get(strict);
  if (parts === undefined) {
    parts = {
      parseInput: compileDefinitionSchema(tool.inputSchema, { strict, tool: 'input' }),
      run: (input, context) => tool.execute(input, context),
      parseOutput: compileDefinitionSchema(tool.outputSchema, { strict, tool: 'output' }),
    };
    variants.set(strict, parts);
  }
  return parts;
}
