import type { App, AppUse } from '../../../../src-preload/contract/apps.ts'
import type { RequestRow } from '../../../../src-preload/contract/requests.ts'
import { noUse, plainRequest } from '../../../helpers/contractRows.ts'
import { plainApp } from '../../../helpers/plainApp.ts'

/** A successful request, with the given changes. */
export const row = (id: number, change: Partial<RequestRow> = {}): RequestRow => plainRequest({ id, ...change })

export const app = (change: Partial<App> = {}): App =>
  plainApp({ id: 't1', name: 'editor', createdAt: '2026-11-01T00:00:00.000Z', ...change })

export const use = (change: Partial<AppUse> = {}): AppUse => noUse({ id: 't1', ...change })
