import { devNull } from 'node:os'
import type { App, GraceHours } from '../../../../src-preload/contract/apps.ts'
import { lastSeen, modelsOf } from '../../../../src-preload/contract/questions.ts'
import type { AnswerKind } from '../../../../src-preload/contract/requests.ts'
import { StudioError } from '../../../core/errors.ts'
import { counted } from '../../../core/shared/counted.ts'
import { fromNano, toNano } from '../../../core/shared/money.ts'
import type { AppChanges, AppCommands, NewApp } from '../../../core/stored.ts'
import type { Parts } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { findDataDir, openDataDir } from '../folder.ts'
import { exitCodes, log, outputFailure, outputIsDiscarded, printJson, say, sayTable } from '../output.ts'
import { columns } from '../table.ts'
import { detailsOf, limitsOf, stateOf, toMinute } from './appLabels.ts'

interface AppsOptions {
  dataDir?: string
  json: boolean
}

/**
 * `apps add`. The app key is shown only once, so an app whose key could not be printed is deleted again.
 * @throws StudioError `bad_input` when standard output is closed or discarded
 */
export async function addAppCommand(
  given: NewApp,
  options: AppsOptions & { ensure: boolean },
  parts: Parts,
): Promise<number> {
  if (options.ensure && (await isThere(given.name, options, parts))) return exitCodes.ok
  if (outputIsDiscarded()) {
    const words = `Standard output is closed or ${devNull}, and the app key is shown only once. No app was added.`
    throw new StudioError('bad_input', words)
  }
  return withApps(options, parts, async (apps) => {
    const { app, key } = apps.add(given)
    if (options.json) printJson({ id: app.id, name: app.name, key })
    else say(`Added the app ${app.name} (${app.id}). Its app key is shown only once:`, '', key, '')
    const failure = await outputFailure()
    if (failure === null) return
    deleteUnseen(apps, app)
    throw failure
  })
}

/** Prints the app that has the name and is not revoked. False when none has it. */
async function isThere(name: string, options: AppsOptions, parts: Parts): Promise<boolean> {
  let app: App | undefined
  await withAppList(options, parts, (apps) => {
    app = apps.list().find((one) => one.revokedAt === null && one.name.toLowerCase() === name.toLowerCase())
  })
  if (!app) return false
  if (options.json) printJson({ id: app.id, name: app.name, key: null })
  else
    say(
      `The app ${app.name} (${app.id}) exists already. Its app key was shown when it was added; "apps rotate" replaces it.`,
    )
  return true
}

function deleteUnseen(apps: AppCommands, { id, name }: App): void {
  try {
    apps.remove(id)
    log('error', `The app key of ${name} could not be shown, so the app was deleted again.`)
  } catch (thrown) {
    const { message } = failureOf(thrown)
    log('error', `The app key of ${name} could not be shown, and the app could not be deleted: ${message}`)
    log('error', `Revoke it with: inference-studio apps revoke ${id}`)
  }
}

/**
 * `apps rotate`. The new key is shown only once.
 * @throws StudioError `no_such_item`, `bad_input` for a revoked app, or when standard output is closed or discarded
 */
export async function rotateAppKey(
  which: string,
  graceHours: GraceHours,
  options: AppsOptions,
  parts: Parts,
): Promise<number> {
  if (outputIsDiscarded()) {
    const words = `Standard output is closed or ${devNull}, and the app key is shown only once. No key was replaced.`
    throw new StudioError('bad_input', words)
  }
  return withApps(options, parts, async (apps) => {
    const { app, key } = apps.rotate(findApp(apps.list(), which).id, graceHours)
    const end = graceHours === 0 ? 'stopped' : `works until ${toMinute(app.previousKeyUntil ?? '')}`
    if (options.json) printJson({ id: app.id, name: app.name, key, previousKeyUntil: app.previousKeyUntil })
    else say(`New app key of ${app.name} (${app.id}). It is shown only once. The previous key ${end}:`, '', key, '')
    const failure = await outputFailure()
    if (failure === null) return
    log('error', `The new app key of ${app.name} could not be shown. Run the command again for another one.`)
    throw failure
  })
}

/** `apps set`. @throws StudioError `no_such_item`, `bad_input` for a revoked app */
export function setApp(which: string, changes: AppChanges, options: AppsOptions, parts: Parts): Promise<number> {
  return withApps(options, parts, (apps) => {
    const { id, name, revokedAt } = findApp(apps.list(), which)
    if (revokedAt !== null) {
      throw new StudioError('bad_input', `The app key of ${name} was revoked and can’t be changed. Add the app again.`)
    }
    const app = apps.update(id, changes)
    if (options.json) printJson(app)
    else say(`Changed ${app.name} (${app.id}): ${limitsOf(app) || 'no limits'}.`)
  })
}

/** `apps pause` and `apps resume`. @param which null for every app that is not revoked */
export function pauseApps(which: string | null, paused: boolean, options: AppsOptions, parts: Parts): Promise<number> {
  const done = paused ? 'Paused' : 'Resumed'
  return withApps(options, parts, (apps) => {
    if (which === null) {
      const { changed } = apps.pauseAll(paused)
      if (options.json) printJson({ changed })
      else say(`${done} ${counted(changed, 'app')}.`)
      return
    }
    const app = apps.pause(findApp(apps.list(), which).id, paused)
    if (options.json) printJson(app)
    else say(`${done} ${app.name} (${app.id}).`)
  })
}

/** `apps list`, newest first, revoked apps too. */
export function listApps(options: AppsOptions, parts: Parts): Promise<number> {
  return withAppList(options, parts, (apps) => {
    const all = apps.list()
    if (options.json) for (const app of all) printJson(app)
    else if (all.length === 0) say('No apps yet. Add one with: inference-studio apps add NAME')
    else {
      const rows = all.map((app) => [app.name, stateOf(app), toMinute(app.createdAt), app.id, limitsOf(app)])
      say(...columns([['NAME', 'STATE', 'CREATED', 'ID', 'LIMITS'], ...rows], { cuts: [4, 0, 1] }))
    }
  })
}

/** `apps show`. @throws StudioError `no_such_item` */
export function showApp(which: string, options: AppsOptions, parts: Parts): Promise<number> {
  return withAppList(options, parts, (apps) => {
    const app = findApp(apps.list(), which)
    if (options.json) printJson(app)
    else sayTable(detailsOf(app))
  })
}

interface AnswerOptions extends AppsOptions {
  once: boolean
  more?: string
  untilTomorrow: boolean
  refuse: boolean
}

const answerWords = {
  once: 'The waiting requests are sent.',
  more: 'The budget is raised, and the waiting requests are sent.',
  tomorrow: 'Requests are sent until midnight UTC without a question.',
  refuse: 'The waiting requests are refused.',
  none: 'The question ended without an answer.',
}

/**
 * `apps answer`: the questions of a running studio, and answers to them.
 * @param which null to list the questions
 * @throws StudioError `no_such_item` when the app has no open question, `bad_input`
 */
export function answerApp(which: string | null, options: AnswerOptions, parts: Parts): Promise<number> {
  return withApps(options, parts, (apps) => {
    const now = new Date().toISOString()
    // A studio that was killed leaves its questions open until its next start.
    const open = apps.questions().filter(({ endsAt }) => endsAt > now)
    const all = apps.list()
    if (which === null) return listQuestions(open, all, options)
    const app = findApp(all, which)
    const question = open.find(({ appId }) => appId === app.id)
    if (!question) throw new StudioError('no_such_item', `${app.name} does not wait for an answer.`)
    const answer = chosenAnswer(options)
    const outcome = apps.answer({ id: question.id, answer, amount: options.more ?? null, seen: lastSeen(question) })
    if (options.json) printJson(outcome)
    else say(outcome.isFirst ? answerWords[answer] : `The question was answered before: ${answerWords[outcome.answer]}`)
  })
}

type OpenQuestions = ReturnType<AppCommands['questions']>

function listQuestions(open: OpenQuestions, apps: readonly App[], { json }: AppsOptions): void {
  if (json) printJson(open)
  else if (open.length === 0) say('No app waits for an answer.')
  else say(...columns(open.map((question) => questionRow(question, apps))))
}

function chosenAnswer({ once, more, refuse }: AnswerOptions): AnswerKind {
  if (more !== undefined) return 'more'
  if (once) return 'once'
  return refuse ? 'refuse' : 'tomorrow'
}

function questionRow({ appId, requests, spentToday }: OpenQuestions[number], apps: readonly App[]): string[] {
  const costs = requests.map(({ cost }) => cost)
  const known = costs.reduce((sum, cost) => sum + toNano(cost ?? '0'), 0n)
  return [
    apps.find(({ id }) => id === appId)?.name ?? appId,
    counted(requests.length, 'request'),
    modelsOf({ requests }).join(', '),
    costs.includes(null) ? 'cost unknown' : `at most ${fromNano(known)} SC`,
    `${spentToday} SC spent today`,
  ]
}

/** `apps revoke`. @throws StudioError `no_such_item` */
export function revokeAppCommand(which: string, options: AppsOptions, parts: Parts): Promise<number> {
  return withApps(options, parts, (apps) => {
    const app = apps.revoke(findApp(apps.list(), which).id)
    if (options.json) printJson(app)
    else say(`Revoked ${app.name} (${app.id}).`)
  })
}

/**
 * Finds an app by id, else by name. Of apps with the same name, one that is not revoked wins.
 * @throws StudioError `no_such_item`, or `bad_input` when several apps in use have the name
 */
export function findApp(apps: readonly App[], which: string): App {
  const byId = apps.find(({ id }) => id === which)
  if (byId) return byId
  const named = apps.filter(({ name }) => name === which.trim())
  const inUse = named.filter(({ revokedAt }) => revokedAt === null)
  const [found, ...others] = inUse.length > 0 ? inUse : named
  if (!found) throw new StudioError('no_such_item', `No app has the id or name ${which}.`)
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(', ')
    throw new StudioError('bad_input', `Several apps have the name ${found.name}. Use one of these ids: ${ids}.`)
  }
  return found
}

async function withAppList(
  options: AppsOptions,
  parts: Parts,
  use: (apps: Pick<AppCommands, 'list'>) => void,
): Promise<number> {
  const apps = await parts.openAppsReadOnly(findDataDir(options.dataDir))
  try {
    use(apps)
  } finally {
    apps.close()
  }
  return exitCodes.ok
}

async function withApps(
  options: AppsOptions,
  parts: Parts,
  use: (apps: AppCommands) => void | Promise<void>,
): Promise<number> {
  const apps = await parts.openApps(await openDataDir(options.dataDir))
  try {
    await use(apps)
  } finally {
    apps.close()
  }
  return exitCodes.ok
}
