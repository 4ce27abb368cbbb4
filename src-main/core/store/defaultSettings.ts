import type { Settings } from '../../../src-preload/contract/app.ts'

/** The settings of a new data folder, and of each stored value that can't be read. */
export const defaultSettings: Settings = {
  theme: 'system',
  fontSize: 'normal',
  density: 'comfortable',
  sendKey: 'enter',
  proxyEnabled: true,
  proxyPort: 8787,
  proxyIpv6: false,
  proxyOrigins: [],
  metrics: false,
  bodyDays: 7,
  logDays: null,
  chatModel: null,
  newChatModel: null,
  newChatInstructions: '',
  titleModel: null,
  chatBodies: true,
  toolRounds: 10,
  shortcuts: {},
  language: 'en',
  closeAction: 'ask',
  openAtLogin: false,
  spellcheck: false,
  checkForUpdates: false,
  voice: null,
}
