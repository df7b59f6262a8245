import { createLait } from 'lait';

/** Builds the subject's work from a workflow: a run whose events somebody listens to. Throws unless runs complete. */
export async function workflowWork({ definition, call, operations, options = {}, check }) {
  const lait = await createLait({ config: false, ...options });
  const workflow = await lait.load(definition);
  let events = 0;
  const run = async () => {
    const result = await workflow.run({
      ...call,
      onEvent: () => {
        events += 1;
      },
    });
    if (result.status !== 'completed') throw new Error(`the run ended as ${result.status}`);
    return result.value;
  };
  const value = await run();
  if (check !== undefined && !check(value))
    throw new Error(`wrong result: ${JSON.stringify(value)?.slice(0, 200)}`);
  return { operations, run, close: () => lait.close(), events: () => events };
}

/** Builds the subject's work from dynamic definitions; the last one is run. */
export async function dynamicWork({ definitions, input, operations, tools, check }) {
  const lait = await createLait({ config: false, ...(tools === undefined ? {} : { tools }) });
  await lait.addDynamicWorkflows(definitions);
  const workflow = lait.getWorkflow(definitions.at(-1).id);
  const run = async () => {
    const started = await workflow.createRun();
    const result = await started.start({ inputData: input });
    if (result.status !== 'success') throw new Error(`the run ended as ${result.status}`);
    return result.result;
  };
  const value = await run();
  if (check !== undefined && !check(value))
    throw new Error(`wrong result: ${JSON.stringify(value)?.slice(0, 200)}`);
  return { operations, run, close: () => lait.close() };
}
