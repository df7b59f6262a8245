import { StepError } from '../errors/errors.js';
import { withDeadline } from '../errors/with-deadline.js';
import type { Expression } from '../expressions/expression.js';
import { scopeOf } from '../expressions/scope.js';
import { compileTemplate } from '../expressions/template.js';
import type {
  DirectToolContext,
  Environment,
  ModelTool,
  RegisteredTool,
  ToolCallContext,
} from '../kinds/services.js';
import { compileFullSchema } from '../schema/full-schema.js';
import { expandVariables } from '../values/expand-variables.js';
import { decodeUtf8 } from '../values/utf8.js';
import type { JsonObject, Value } from '../values/value.js';
import { programEnvironment } from './environment.js';
import { endOfOutput, processFailure, runProcess } from './process.js';
import { secretValues } from './secret-values.js';
import type { ShellToolSettings } from './shell-tool-settings.js';
import { toolName } from './tool-names.js';
import { toolTimeout } from './tool-timeout.js';
import { toldToModel } from './untrusted-call.js';

const defaultTimeoutSeconds = 30;
const noParameters: JsonObject = { type: 'object', properties: {} };

/** One entry of `tools:`: a program whose arguments are templates over `input`. Source: steps facts §12. */
export class ShellTool {
  readonly name: string;
  readonly #settings: ShellToolSettings;
  readonly #environment: Environment;
  readonly #command: readonly Expression<string>[];

  /** Throws an `Error` that says what is wrong with the command's templates. */
  constructor(name: string, settings: ShellToolSettings, environment: Environment) {
    this.name = name;
    this.#settings = settings;
    this.#environment = environment;
    this.#command = settings.command.map((source) => compileTemplate(source));
    const foreign = this.#command
      .flatMap(({ references }) => references)
      .find(({ root }) => root !== 'value');
    if (foreign !== undefined) {
      throw new Error(`the command refers to '${foreign.root}'; a tool's command sees only 'input'`);
    }
  }

  /** The secrets among the variables that its program is given. */
  get secrets(): string[] {
    return secretValues(this.#settings.env ?? {}, this.#environment.variables);
  }

  /** What is wrong with `parameters` as a JSON Schema, if anything. */
  async parametersProblem(): Promise<string | undefined> {
    try {
      await compileFullSchema(this.#settings.parameters ?? noParameters);
      return undefined;
    } catch (error) {
      return `tools.${this.name}.parameters is no JSON Schema: ${(error as Error).message}`;
    }
  }

  /** The tool as models see it. */
  toModelTool(): ModelTool {
    const { description, parameters = noParameters } = this.#settings;
    return {
      definition: {
        type: 'function',
        function: {
          name: toolName('tool', this.name),
          ...(description !== undefined && { description }),
          parameters,
        },
      },
      preview: (arguments_) => this.#preview(arguments_),
      call: (arguments_, context) => toldToModel(context.signal, () => this.#run(arguments_, context)),
    };
  }

  /** The tool as workflows call it: its value is the text that the program printed. */
  toRegisteredTool(): RegisteredTool {
    const { description, parameters = noParameters } = this.#settings;
    return {
      id: this.name,
      ...(description !== undefined && { description }),
      inputSchema: parameters,
      outputSchema: { type: 'string' },
      execute: (input: Value, context: DirectToolContext) => this.#run(input, context),
    };
  }

  async #run(input: Value, { signal, idempotencyKey }: ToolCallContext): Promise<string> {
    const { parameters = noParameters, timeout = defaultTimeoutSeconds, env, cwd } = this.#settings;
    const problems = (await compileFullSchema(parameters))(input);
    if (problems.length > 0) {
      throw new StepError({
        code: 'tool_arguments_invalid',
        message: `the arguments of '${this.name}' do not fit its parameters: ${problems.join('; ')}`,
      });
    }
    const command = this.#render(input);
    const { variables, workingDirectory } = this.#environment;
    const result = await withDeadline(
      timeout,
      signal,
      toolTimeout(`the tool '${this.name}'`, timeout),
      (limited) =>
        runProcess(
          {
            command,
            environment: programEnvironment(env, variables, idempotencyKey, `tools.${this.name}.env`),
            baseDirectory: workingDirectory,
            workingDirectory:
              cwd === undefined ? undefined : expandVariables(cwd, variables, `tools.${this.name}.cwd`),
          },
          { signal: limited },
        ),
    );
    if (result.exitCode !== 0) {
      // Many programs explain themselves on standard output; the model should see that too.
      const printed = endOfOutput(result.stdout);
      const failure = processFailure(command[0]!, result);
      throw printed === ''
        ? failure
        : new StepError({
            code: failure.code,
            message: `${failure.message}\nstandard output: ${printed}`,
            details: failure.details,
          });
    }
    return decodeUtf8(result.stdout, `the output of '${command[0]}'`).replace(/\r?\n$/, '');
  }

  #render(input: Value): string[] {
    const scope = scopeOf(input);
    return this.#command.map((argument) => argument.evaluate(scope));
  }

  #preview(arguments_: JsonObject): readonly string[] | undefined {
    try {
      return this.#render(arguments_);
    } catch {
      return undefined; // the call itself tells the model what is wrong
    }
  }
}
