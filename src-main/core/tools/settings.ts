import type { Tool, ToolSettings } from '../../../src-preload/contract/tools.ts'

/** What holds for a key of which nothing else was said: no limits, no copies of bodies, retries, and waiting in turn. */
export const defaultToolSettings: Omit<ToolSettings, 'name' | 'colour'> = {
  expiresAt: null,
  models: null,
  endpoints: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrent: null,
  budgetDay: null,
  budgetMonth: null,
  budgetTotal: null,
  logBodies: false,
  retries: true,
  failFast: false,
}

/** A key without limits that was never used, for whoever needs one whole. */
export const plainTool = (given: Partial<Tool> & Pick<Tool, 'id' | 'name'>): Tool => ({
  colour: 'blue',
  ...defaultToolSettings,
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsedAt: null,
  pausedAt: null,
  revokedAt: null,
  ...given,
})
