import { writeFileSync } from 'node:fs';
import { codesPage, CODES_FILE } from './docs/codes-page.ts';

writeFileSync(CODES_FILE, await codesPage());
