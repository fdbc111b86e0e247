/**
 * The process of one host of a traffic job, started by run-traffic.ts with its task as argument. It ends after its report, or when its
 * standard input closes, so that it never outlives the one who started it.
 */
import { createInterface } from 'node:readline';
import { Agent } from './agent.js';
import type { AgentCommand, AgentTask } from './agent-protocol.js';

const task: AgentTask = JSON.parse(process.argv[2] ?? '{}');
const agent = new Agent(task, (answer) => void process.stdout.write(`${JSON.stringify(answer)}\n`));
await agent.open();
for await (const line of createInterface({ input: process.stdin })) {
  const { kind }: AgentCommand = JSON.parse(line);
  if (kind === 'start') agent.start();
  else {
    agent.report();
    break;
  }
}
agent.close();
