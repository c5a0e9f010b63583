import { isUtf8 } from 'node:buffer';
import type { SubjectRef } from '../../../projections/rows.ts';
import type { Source } from '../../../projections/sources/contract.ts';
import { sourceByTable, sources } from '../../../projections/sources/index.ts';
