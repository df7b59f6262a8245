import { addListCommand } from '../add-list-command.js';
import type { CommandModule } from '../command-list.js';

export const configure: CommandModule['configure'] = (command, start) =>
  addListCommand(command, 'skills', start);
