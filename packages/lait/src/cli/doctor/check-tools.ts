import type { Configuration } from '../../config/configuration.js';
import { messageChain } from '../../errors/lait-error.js';
import { createToolService } from '../../tools/tool-service.js';
import type { CommandContext } from '../command-context.js';
import { type Report, reportCheck } from './finding.js';

/** Starts each MCP server once and counts its tools. */
export async function checkTools(
  { values }: Configuration,
  context: CommandContext,
  report: Report,
): Promise<void> {
  const servers = Object.keys(values.mcp_servers ?? {});
  if (servers.length === 0 && values.tools === undefined) return;
  const { workingDirectory, secrets, signal } = context;
  const variables = await context.variables();
  try {
    const service = createToolService({
      environment: { variables, workingDirectory },
      tools: values.tools,
      mcpServers: values.mcp_servers,
      onSecret: (value) => secrets.add(value),
      onLog: (server, line) => context.log(1, `${server}: ${line}`),
    });
    try {
      for (const name of Object.keys(values.tools ?? {})) {
        await report({ status: 'ok', subject: `tools.${name}`, message: 'its command can be read' });
      }
      for (const name of servers) {
        const about = { subject: `mcp_servers.${name}`, hint: '-v shows what the server prints' };
        const check = async () => {
          const { tools } = await service.open({ mcp: [name] }, { signal });
          return `starts and has ${tools.length} tools`;
        };
        await reportCheck(about, check, report, signal);
      }
    } finally {
      await service.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    await report({ status: 'ng', subject: 'tools', message: messageChain(error) });
  }
}
