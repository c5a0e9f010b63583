import { writeFileSync } from 'node:fs';
import { renderSettings } from './settings.ts';

writeFileSync(new URL('./settings.md', import.meta.url), renderSettings());
