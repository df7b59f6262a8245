// Writes docs/api.md from the table of routes.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { apiPage } from '../packages/lait/dist/server/http/api-page.js';
import { v1 } from '../packages/lait/dist/server/v1.js';

writeFileSync(fileURLToPath(new URL('../docs/api.md', import.meta.url)), apiPage(v1));
