import { defaultAppSettings } from '../../src-main/core/gateway/apps/appSettings.ts'
import type { App } from '../../src-preload/contract/apps.ts'

/** An app without limits that was never used. */
export const plainApp = (given: Partial<App> & Pick<App, 'id' | 'name'>): App => ({
  colour: 'blue',
  ...defaultAppSettings,
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsedAt: null,
  pausedAt: null,
  revokedAt: null,
  previousKeyUntil: null,
  ...given,
})
