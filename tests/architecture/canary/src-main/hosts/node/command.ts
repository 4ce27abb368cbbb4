import type { Rows } from '../../core/store/rows.ts'

export const forbidden: Rows = { count: 0 } // a host that imports past core.ts and stored.ts, by type alone
