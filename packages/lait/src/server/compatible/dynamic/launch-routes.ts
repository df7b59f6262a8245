import { z } from 'zod';
import { isLaitError } from '../../../errors/lait-error.js';
import { requireScope } from '../../access/require-consent.js';
import type { Scope } from '../../access/scopes.js';
import { type Route, type RouteAnswer, type RouteRequest, route } from '../../http/route.js';
import { id, jsonObject } from '../../routes/schemas.js';
import type { ServerContext } from '../../server-context.js';
import { answered } from '../answers.js';
import type { DynamicRun } from './dynamic-run.js';
import { badRequest } from './errors.js';
import { RunCalls, refusedStream } from './run-calls.js';
import { fixedStream, runStream } from './run-stream.js';
import { runResult } from './run-view.js';

const path = z.object({ workflow: id });
const query = z.object({ runId: id.optional() });

const startBody = z
  .object({
    inputData: z.unknown().optional(),
    initialState: jsonObject.nullish(),
    requestContext: jsonObject.nullish(),
    resourceId: z.string().max(200).optional(),
    perStep: z.boolean().optional(),
    closeOnSuspend: z.boolean().optional(),
  })
  .default({});

const stepName = z.union([z.string().max(1000), z.array(z.string().max(1000)).min(1).max(100)]);

const resumeBody = z
  .object({
    step: stepName.optional(),
    resumeData: z.unknown().optional(),
    forEachIndex: z.int().min(0).optional(),
    perStep: z.boolean().optional(),
  })
  .default({});

const givenStep = z.object({
  payload: z.unknown().optional(),
  output: z.unknown().optional(),
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
});

const travelBody = z.object({
  step: stepName,
  inputData: z.unknown().optional(),
  resumeData: z.unknown().optional(),
  initialState: jsonObject.nullish(),
  context: z.record(z.string(), givenStep).nullish(),
  requestContext: jsonObject.nullish(),
  perStep: z.boolean().optional(),
});

type LaunchRequest<Body> = RouteRequest<z.infer<typeof path>, z.infer<typeof query>, Body>;

/** A run that was set going, and the log entry that it had come to before. */
interface Launched {
  run: DynamicRun;
  after?: number;
}

/** One way to set runs going, whatever the client wants to hear about it. */
interface Launch<Body> {
  /** The first part of the routes' paths. */
  name: string;
  /** The first part of the operations' names; `DynamicRun…` follows. */
  verb: string;
  /** What it does, for the summary; how it is answered follows. */
  summary: string;
  scope: Scope;
  body: z.ZodType<Body>;
  /** What is answered when the client does not wait. */
  message: string;
  launch(calls: RunCalls, request: LaunchRequest<Body>): Promise<Launched>;
}

type Answer = (
  server: ServerContext,
  launched: Launched,
  signal: AbortSignal,
) => Promise<RouteAnswer> | RouteAnswer;

/** How a launch is answered, by what follows its name in the path. */
const flavours = {
  '': { operation: '', told: ', and do not wait for it' },
  'no-wait': { operation: 'NoWait', told: ', and do not wait for it' },
  async: { operation: 'Async', told: ', and answer with the result' },
  stream: { operation: 'Stream', told: ', and tell what happens' },
} as const;

const start: Launch<z.infer<typeof startBody>> = {
  name: 'start',
  verb: 'start',
  summary: 'Start a run',
  scope: 'run',
  body: startBody,
  message: 'Workflow run started',
  launch: async (calls, { query: { runId }, body, actor }) => ({
    run: await calls.start(runId, body, actor),
  }),
};

const resume: Launch<z.infer<typeof resumeBody>> = {
  name: 'resume',
  verb: 'resume',
  summary: 'Go on with a suspended run',
  scope: 'answer',
  body: resumeBody,
  message: 'Workflow run resumed',
  launch: (calls, { query: { runId }, body, actor }) => calls.resume(required(runId), body, actor),
};

const restart: Launch<unknown> = {
  name: 'restart',
  verb: 'restart',
  summary: 'Let a run go on that has paused or was interrupted',
  scope: 'run',
  body: z.object({}).default({}),
  message: 'Workflow run restarted',
  launch: (calls, { query: { runId }, actor }) => calls.restart(required(runId), actor),
};

const travel: Launch<z.infer<typeof travelBody>> = {
  name: 'time-travel',
  verb: 'timeTravel',
  summary: 'Begin a run again at a step',
  scope: 'run',
  body: travelBody,
  message: 'Workflow run time travel started',
  async launch(calls, { query: { runId }, body, actor }) {
    if (body.resumeData !== undefined) requireScope(actor, 'answer', 'resumeData');
    return { run: await calls.timeTravel(required(runId), body, actor) };
  },
};

/** Routes that set runs going. Source: dynamic facts §7. */
export const launchRoutes: readonly Route[] = [
  launchRoute({
    ...start,
    launch: async (calls, { query: { runId }, body, actor }) => ({
      run: await calls.start(required(runId, ' to start run'), body, actor, { mustExist: true }),
    }),
  }),
  waiting(start),
  startStream(),
  launchRoute(resume),
  launchRoute(resume, 'no-wait', (_server, { run }) => ({
    body: { message: resume.message, runId: run.id },
  })),
  waiting(resume),
  streaming(resume),
  launchRoute(restart),
  waiting(restart),
  launchRoute(travel),
  waiting(travel),
  streaming(travel),
];

/** Answers with the result, once the run has ended or waits. */
function waiting<Body>(launch: Launch<Body>): Route {
  return launchRoute(launch, 'async', async (server, { run }, signal) => {
    await new RunCalls(server, run.record.definition.id).settled(run, signal);
    return { body: await runResult(server, run) };
  });
}

/** Tells what happens from then on. */
function streaming<Body>(launch: Launch<Body>): Route {
  return launchRoute(launch, 'stream', (server, { run, after = 0 }, signal) =>
    runStream(server, { run, after, until: 'parked', signal }),
  );
}

function launchRoute<Body>(
  { name, verb, summary, scope, body, message, launch }: Launch<Body>,
  suffix: '' | 'async' | 'no-wait' | 'stream' = '',
  answer: Answer = () => ({ body: { message } }),
): Route {
  const { operation, told } = flavours[suffix];
  return route({
    method: 'post',
    path: `/workflows/{workflow}/${suffix === '' ? name : `${name}-${suffix}`}`,
    operation: `${verb}DynamicRun${operation}`,
    summary: `${summary}${told}`,
    tag: 'Runs',
    scope,
    parameters: path,
    query,
    body,
    responses: answered,
    async handle(request, server) {
      const launched = await launch(new RunCalls(server, request.path.workflow), request);
      return answer(server, launched, request.signal);
    },
  });
}

/** Wrong input is told in the stream, as the run would tell it; and the stream may stay open while the run waits. */
function startStream(): Route {
  return route({
    method: 'post',
    path: '/workflows/{workflow}/stream',
    operation: 'streamDynamicRun',
    summary: 'Start a run, and tell what happens',
    tag: 'Runs',
    scope: 'run',
    parameters: path,
    query,
    body: startBody,
    responses: answered,
    async handle(request, server) {
      const { workflow } = request.path;
      const until = request.body.closeOnSuspend === false ? 'ended' : 'parked';
      try {
        const { run } = await start.launch(new RunCalls(server, workflow), request);
        return runStream(server, { run, until, signal: request.signal });
      } catch (error) {
        if (!isRefusedInput(error)) throw error;
        return fixedStream(await refusedStream(server, workflow, request.query.runId ?? '', error.message));
      }
    },
  });
}

function required(runId: string | undefined, what = ''): string {
  if (runId === undefined) throw badRequest(`runId required${what}`);
  return runId;
}

/** Input, state or request context do not fit their schemas. */
function isRefusedInput(error: unknown): error is Error {
  const refusals = ['input_invalid', 'state_invalid', 'request_context_invalid', 'inputs_invalid'];
  return isLaitError(error) && refusals.includes(error.code);
}
