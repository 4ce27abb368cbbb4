import { devNull } from 'node:os'
import type { App, GraceHours } from '../../../../src-preload/contract/apps.ts'
import { lastSeen, modelsOf } from '../../../../src-preload/contract/questions.ts'
import type { AnswerKind } from '../../../../src-preload/contract/requests.ts'
import { t } from '../../../../src-renderer/i18n/cli.ts'
import { fromNano, toNano } from '../../../core/shared/money.ts'
import type { AppChanges, AppCommands, NewApp } from '../../../core/stored.ts'
import type { Parts } from '../dependencies.ts'
import { failureOf } from '../failure.ts'
import { findDataDir, openDataDir } from '../folder.ts'
import { exitCodes, outputFailure, outputIsDiscarded, printJson, say, sayLines, sayTable, tell } from '../output.ts'
import { ownError, wordsOf } from '../ownWords.ts'
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
    throw ownError('bad_input', t('apps.noOutput', { device: devNull }))
  }
  return withApps(options, parts, async (apps) => {
    const { app, key } = apps.add(given)
    if (options.json) printJson({ id: app.id, name: app.name, key })
    else say(t('apps.added', { name: app.name, id: app.id }), '', key, '')
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
  else say(t('apps.exists', { name: app.name, id: app.id }))
  return true
}

function deleteUnseen(apps: AppCommands, { id, name }: App): void {
  try {
    apps.remove(id)
    tell('error', t('apps.unseen', { name }))
  } catch (thrown) {
    tell('error', t('apps.unseenStays', { name, reason: wordsOf(failureOf(thrown)) }))
    tell('error', t('apps.revokeHint', { id }))
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
    throw ownError('bad_input', t('apps.noOutputRotate', { device: devNull }))
  }
  return withApps(options, parts, async (apps) => {
    const { app, key } = apps.rotate(findApp(apps.list(), which).id, graceHours)
    const { id, name } = app
    if (options.json) printJson({ id: app.id, name: app.name, key, previousKeyUntil: app.previousKeyUntil })
    else if (graceHours === 0) say(t('apps.rotated', { name, id }), '', key, '')
    else say(t('apps.rotatedUntil', { name, id, until: toMinute(app.previousKeyUntil ?? '') }), '', key, '')
    const failure = await outputFailure()
    if (failure === null) return
    tell('error', t('apps.rotatedUnseen', { name }))
    throw failure
  })
}

/** `apps set`. @throws StudioError `no_such_item`, `bad_input` for a revoked app */
export function setApp(which: string, changes: AppChanges, options: AppsOptions, parts: Parts): Promise<number> {
  return withApps(options, parts, (apps) => {
    const { id, name, revokedAt } = findApp(apps.list(), which)
    if (revokedAt !== null) throw ownError('bad_input', t('apps.isRevoked', { name }))
    const app = apps.update(id, changes)
    if (options.json) printJson(app)
    else say(t('apps.changed', { name: app.name, id, limits: limitsOf(app) || t('apps.noLimits') }))
  })
}

/** `apps pause` and `apps resume`. @param which null for every app that is not revoked */
export function pauseApps(which: string | null, paused: boolean, options: AppsOptions, parts: Parts): Promise<number> {
  return withApps(options, parts, (apps) => {
    if (which === null) {
      const { changed } = apps.pauseAll(paused)
      if (options.json) printJson({ changed })
      else say(t(paused ? 'apps.pausedAll' : 'apps.resumedAll', { count: changed }))
      return
    }
    const app = apps.pause(findApp(apps.list(), which).id, paused)
    if (options.json) printJson(app)
    else say(t(paused ? 'apps.paused' : 'apps.resumed', { name: app.name, id: app.id }))
  })
}

/** `apps list`, newest first, revoked apps too. */
export function listApps(options: AppsOptions, parts: Parts): Promise<number> {
  return withAppList(options, parts, (apps) => {
    const all = apps.list()
    if (options.json) for (const app of all) printJson(app)
    else if (all.length === 0) say(t('apps.none'))
    else {
      const rows = all.map((app) => [app.name, stateOf(app), toMinute(app.createdAt), app.id, limitsOf(app)])
      const head = (['name', 'state', 'created', 'id', 'limits'] as const).map((name) => t(`apps.head.${name}`))
      sayLines(columns([head, ...rows], { cuts: [4, 0, 1] }))
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
    if (!question) throw ownError('no_such_item', t('apps.noQuestion', { name: app.name }))
    const answer = chosenAnswer(options)
    const outcome = apps.answer({ id: question.id, answer, amount: options.more ?? null, seen: lastSeen(question) })
    if (options.json) printJson(outcome)
    else if (outcome.isFirst) say(t(`apps.answered.${answer}`))
    else say(t('apps.answeredBefore', { answer: t(`apps.answered.${outcome.answer}`) }))
  })
}

type OpenQuestions = ReturnType<AppCommands['questions']>

function listQuestions(open: OpenQuestions, apps: readonly App[], { json }: AppsOptions): void {
  if (json)
    for (const { id, appId, askedAt, endsAt, spentToday, requests } of open)
      printJson({ id, appId, askedAt, endsAt, spentToday, requests })
  else if (open.length === 0) say(t('apps.noQuestions'))
  else for (const question of open) say(questionRow(question, apps).join('  '))
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
    t('apps.requests', { count: requests.length }),
    modelsOf({ requests }).join(', '),
    costs.includes(null) ? t('apps.costUnknown') : t('apps.costAtMost', { cost: fromNano(known) }),
    t('apps.spentToday', { amount: spentToday }),
  ]
}

/** `apps revoke`. @throws StudioError `no_such_item` */
export function revokeAppCommand(which: string, options: AppsOptions, parts: Parts): Promise<number> {
  return withApps(options, parts, (apps) => {
    const app = apps.revoke(findApp(apps.list(), which).id)
    if (options.json) printJson(app)
    else say(t('apps.revoked', { name: app.name, id: app.id }))
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
  if (!found) throw ownError('no_such_item', t('apps.unknown', { name: which }))
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(', ')
    throw ownError('bad_input', t('apps.ambiguous', { name: found.name, ids }))
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
