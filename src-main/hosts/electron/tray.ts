import { join } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { Menu, type NativeImage, nativeImage, Tray } from 'electron'
import { lastSeen } from '../../../src-preload/contract/questions.ts'
import type { Core } from '../../core/core.ts'
import type { Host } from '../../core/host.ts'
import { drawWhenDifferent } from './redraw.ts'
import { type TrayActions, type TrayFacts, trayMenu, trayTip } from './trayMenu.ts'
import { languageChanges, words } from './words.ts'

interface TrayOptions {
  core: Pick<Core, 'router' | 'activity'>
  /** Folder with the icons. */
  icons: string
  actions: Pick<TrayActions, 'open' | 'quickPrompt' | 'quit'>
  signal: AbortSignal
  log: Host['log']
  platform?: NodeJS.Platform
}

/** The menu is built again at most this often, ms. */
const everyMs = 500

/** macOS colours a template image itself, for light, dark and selected menu bars. */
export const trayImage = (icons: string, platform: NodeJS.Platform = process.platform): NativeImage =>
  nativeImage.createFromPath(join(icons, platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'))

/** Shows the state of the local API in the tray, with the most frequent actions, until `signal` aborts. */
export function showTray({ core, icons, actions, signal, log, platform = process.platform }: TrayOptions): void {
  const client = createRouterClient(core.router)
  const tray = new Tray(trayImage(icons, platform))
  const facts: TrayFacts = {
    ...{ proxy: { state: 'off', baseUrl: null }, requests: 0, recordings: 0 },
    ...{ spentToday: null, apps: 0, pausedApps: 0, questions: [] },
  }
  const fail = (thrown: unknown): void => {
    if (!signal.aborted) log('error', `The tray could not be updated: ${String(thrown)}`)
  }
  const pauseApps = (paused: boolean): void => void client.apps.pauseAll({ paused }).catch(fail)

  const answer: TrayActions['answer'] = (question, kind) => {
    const amount = kind === 'more' ? question.suggested : null
    client.apps.answer({ id: question.id, answer: kind, amount, seen: lastSeen(question) }).catch(fail)
  }

  const draw = (): void => {
    tray.setToolTip(trayTip(facts))
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(facts, { ...actions, pauseApps, answer })))
  }
  const redraw = drawWhenDifferent(() => ({ ...facts, language: words.locale }), draw, { everyMs, signal })
  const stopLanguage = languageChanges.add(redraw)
  const changed = (news: Partial<TrayFacts>): void => {
    Object.assign(facts, news)
    redraw()
  }
  async function follow<T>(events: Promise<AsyncIterable<T>>, read: (value: T) => Partial<TrayFacts>): Promise<void> {
    for await (const value of await events) if (!signal.aborted) changed(read(value))
  }

  draw()
  // macOS and most Linux desktops open the menu by a click.
  if (platform === 'win32') tray.on('click', () => actions.open())
  const stopObserving = core.activity.observe(changed)
  const option = { signal }
  follow(client.app.watch(undefined, option), ({ proxy: { state, baseUrl } }) => ({ proxy: { state, baseUrl } })).catch(
    fail,
  )
  follow(client.usage.watchSpend(undefined, option), ({ today }) => ({ spentToday: today })).catch(fail)
  follow(client.apps.watch(undefined, option), (all) => {
    const usable = all.filter(({ revokedAt }) => revokedAt === null)
    return { apps: usable.length, pausedApps: usable.filter(({ pausedAt }) => pausedAt !== null).length }
  }).catch(fail)
  follow(client.apps.watchQuestions(undefined, option), (questions) => ({ questions })).catch(fail)
  signal.addEventListener('abort', () => {
    stopObserving()
    stopLanguage()
    tray.destroy()
  })
}
