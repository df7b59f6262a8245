// Registers a workflow that a program wrote, runs it, and resumes it when a tool has asked for approval.
// Run it with: node examples/dynamic/approve-orders.mjs
import { createLait, defineTool } from 'lait';

const order = {
  type: 'object',
  properties: { item: { type: 'string' }, price: { type: 'number' } },
  required: ['item', 'price'],
};

const lait = await createLait({
  config: false,
  tools: {
    'approve-order': defineTool({
      description: 'asks a person about orders of 100 and more',
      inputSchema: order,
      outputSchema: {
        type: 'object',
        properties: { item: { type: 'string' }, approved: { type: 'boolean' } },
      },
      async execute({ item, price }, context) {
        if (price < 100) return { item, approved: true };
        if (context.resume === undefined) await context.suspend({ question: `Buy ${item} for ${price}?` });
        return { item, approved: context.resume.approved };
      },
    }),
  },
});

await lait.addDynamicWorkflow({
  id: 'orders',
  inputSchema: { type: 'array', items: order },
  outputSchema: {},
  graph: [
    {
      type: 'foreach',
      step: { type: 'tool', id: 'decide', toolId: 'approve-order' },
      opts: { concurrency: 4 },
    },
    { type: 'mapping', id: 'summary', mapConfig: { orders: { step: 'decide', path: '.' } } },
  ],
});

const run = await lait.getWorkflow('orders').createRun();
const inputData = [
  { item: 'paper', price: 7 },
  { item: 'printer', price: 480 },
];
let outcome = await run.start({ inputData });
while (outcome.status === 'suspended') {
  const [step] = outcome.suspended;
  console.log(`${step.join('.')}: ${outcome.suspendPayload[step[0]].question}`);
  outcome = await run.resume({ step, resumeData: { approved: true } });
}
console.log(JSON.stringify(outcome.result));
await lait.close();
