import { implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import type { AppState } from '../../../src-preload/contract/app.ts'
import { packView } from '../../../src-preload/contract/columns.ts'
import { contract } from '../../../src-preload/contract/contract.ts'
import { type AccountKind, Accounts } from './accounts.ts'
import { startAlerts } from './alerts.ts'
import { Gateway } from './gateway.ts'
import { Chats } from './library.ts'
import { Pictures } from './pictures.ts'
import { recordingOf, recordings, watchRecordings } from './recordings.ts'
import { states } from './states.ts'

/** An in-memory core in a worker, because the real core is also in another process. The worker's name is the page's query. */
const query = new URLSearchParams(self.name)
// The last state counts: a test appends its state to the defaults.
const wanted = query.getAll('state').at(-1) ?? 'connected'
const theme = query.get('theme') === 'dark' ? 'dark' : 'light'
const start: AppState | undefined = Object.entries(states).find(([name]) => name === wanted)?.[1]
if (!start) throw new Error(`No state ${wanted}.`)
let state: AppState = { ...start, settings: { ...start.settings, theme, language: query.get('language') ?? 'en' } }
let changed = new AbortController()

function change(next: Partial<AppState>): void {
  state = { ...state, ...next }
  changed.abort()
  changed = new AbortController()
}

async function* live<T>(read: () => T, signal: AbortSignal | undefined): AsyncGenerator<T> {
  while (!signal?.aborted) {
    yield read()
    const { signal: next } = changed
    await new Promise<void>((done) => {
      next.addEventListener('abort', () => done())
      signal?.addEventListener('abort', () => done())
    })
  }
}

const gateway = new Gateway({
  apps: query.get('apps') ?? 'some',
  rows: Number(query.get('rows') ?? 400),
  live: query.get('live') === '1',
})
const chats = new Chats(Number(query.get('chats') ?? 24))
const pictures = new Pictures(Number(query.get('images') ?? 0), query.get('thumbs') === '1')
const kinds: readonly AccountKind[] = ['some', 'gaps', 'empty', 'none', 'plain', 'banned', 'two', 'asking']
const kind = kinds.find((one) => one === query.get('usage')) ?? 'some'
const usage = new Accounts(kind, Number(query.get('days') ?? 200))
let alerts = startAlerts(query.get('alerts') ?? 'none', query.get('notifies') === '1')
function changeAlerts(next: Partial<typeof alerts>): void {
  alerts = { ...alerts, ...next }
  change({})
}
const done = (_nothing: unknown) => ({})
const now = () => new Date().toISOString()
const os = implement(contract)
const refuse = os.connection.test.handler(({ errors }) => {
  throw errors.PROBLEM({
    data: {
      kind: 'unauthorized',
      message: 'The service refused the key.',
      status: 401,
      raw: '{"error":{"message":"Invalid credentials"}}',
    },
  })
})
const nothing = { conversationId: crypto.randomUUID(), turnId: crypto.randomUUID(), replyIds: [] }
const router = {
  app: {
    watch: os.app.watch.handler(({ signal }) => live(() => state, signal)),
    updateSettings: os.app.updateSettings.handler(({ input }) => {
      change({ settings: { ...state.settings, ...(input as Partial<AppState['settings']>) } })
      return state.settings
    }),
    checkStorage: os.app.checkStorage.handler(() => ({})),
    openExternal: os.app.openExternal.handler(() => ({ opened: true })),
  },
  connection: {
    sealingKey: os.connection.sealingKey.handler(async () => {
      const pair = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
      const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
      return { publicKey: btoa(String.fromCharCode(...raw)) }
    }),
    test: refuse,
    connect: os.connection.connect.handler(({ errors }) => {
      throw errors.PROBLEM({ data: { kind: 'connect_failed', message: 'Nothing answers there.' } })
    }),
    useSandbox: os.connection.useSandbox.handler(() => {
      change({ connection: states.connected.connection })
      const { profile } = states.connected.connection
      if (!profile) throw new Error('The connected state has a profile.')
      return profile
    }),
    retest: os.connection.retest.handler(() => ({})),
    disconnect: os.connection.disconnect.handler(() => {
      change({ connection: states.first.connection })
      return {}
    }),
  },
  models: {
    facts: os.models.facts.handler(() => ({ facts: [] })),
    setContextLength: os.models.setContextLength.handler(() => ({})),
    setFavourite: os.models.setFavourite.handler(() => ({})),
    list: os.models.list.handler(() => ({
      models: ['writer-large', 'writer-small', 'reasoner', 'vision', 'mirror'].map((id) => ({
        id,
        created: null,
        ownedBy: null,
      })),
      asOf: now(),
    })),
  },
  chat: {
    watchList: os.chat.watchList.handler(({ signal }) => chats.watchList(signal)),
    watch: os.chat.watch.handler(({ input, signal }) => chats.watch(input.conversationId, signal)),
    send: os.chat.send.handler(() => nothing),
    stop: os.chat.stop.handler(() => ({ stopped: true })),
    retry: os.chat.retry.handler(() => nothing),
    activatePath: os.chat.activatePath.handler(() => ({})),
    update: os.chat.update.handler(({ input: { conversationId, ...change } }) =>
      done(chats.update(conversationId, change)),
    ),
    duplicate: os.chat.duplicate.handler(({ input }) => chats.duplicate(input.conversationId)),
    saveDraft: os.chat.saveDraft.handler(({ input }) =>
      done(chats.update(input.conversationId, { draft: input.draft })),
    ),
    remove: os.chat.remove.handler(({ input }) => done(chats.remove(input.conversationId))),
    restore: os.chat.restore.handler(({ input: { removedId } }) => {
      chats.restore(removedId)
      return { conversationId: removedId }
    }),
  },
  library: {
    watch: os.library.watch.handler(({ signal }) => chats.watchLibrary(signal)),
    saveFolder: os.library.saveFolder.handler(({ input }) => chats.saveFolder(input.id, input.name)),
    removeFolder: os.library.removeFolder.handler(({ input }) => done(chats.removeFolder(input.id))),
    savePrompt: os.library.savePrompt.handler(({ input }) => chats.savePrompt(input.id, input.name, input.text)),
    removePrompt: os.library.removePrompt.handler(({ input }) => done(chats.removePrompt(input.id))),
    listDeleted: os.library.listDeleted.handler(() => ({ conversations: chats.removed() })),
    deletePermanently: os.library.deletePermanently.handler(({ input }) => chats.erase(input.ids)),
    search: os.library.search.handler(({ input }) => chats.search(input.text, input.limit)),
  },
  tools: {
    watch: os.tools.watch.handler(({ signal }) => live(() => ({ functions: [], servers: [], always: [] }), signal)),
  },
  transcription: {
    watch: os.transcription.watch.handler(({ signal }) => watchRecordings(signal)),
    get: os.transcription.get.handler(({ input }) => recordingOf(input.id)),
    find: os.transcription.find.handler(() => ({ recordings, total: recordings.length })),
  },
  images: {
    watch: os.images.watch.handler(({ signal }) => pictures.watch(signal)),
    find: os.images.find.handler(({ input }) => ({ images: pictures.find(input.search, input.favourites) })),
    get: os.images.get.handler(({ input, errors }) => {
      const found = pictures.get(input.id)
      if (!found) throw errors.PROBLEM({ data: { kind: 'no_such_item', message: 'There is no such picture.' } })
      return found
    }),
    generate: os.images.generate.handler(({ input: { fromImageId, ...wish } }) => pictures.make(wish, fromImageId)),
    cancel: os.images.cancel.handler(({ input }) => pictures.cancel(input.drawingId)),
    dismiss: os.images.dismiss.handler(({ input }) => done(pictures.dismiss(input.drawingId))),
    setFavourite: os.images.setFavourite.handler(({ input }) =>
      done(input.ids.map((id) => pictures.change(id, { favourite: input.favourite }))),
    ),
    saveThumbnail: os.images.saveThumbnail.handler(({ input }) => pictures.change(input.id, { thumbId: input.id })),
    save: os.images.save.handler(() => chats.download),
    asAttachment: os.images.asAttachment.handler(({ input }) => ({
      mediaId: input.id,
      name: 'picture.png',
      mime: 'image/png',
      width: 1024,
      height: 1024,
      bytes: 400_000,
    })),
    remove: os.images.remove.handler(({ input }) => ({ removed: pictures.remove(input.ids) })),
    restore: os.images.restore.handler(({ input }) => ({ restored: pictures.restore(input.ids) })),
  },
  media: {
    reveal: os.media.reveal.handler(({ input }) => ({ shown: false, path: `/home/ada/pictures/${input.mediaId}` })),
    dragOut: os.media.dragOut.handler(() => ({ began: false })),
  },
  transfers: {
    beginUpload: os.transfers.beginUpload.handler(() => ({ uploadId: crypto.randomUUID() })),
    cancelUpload: os.transfers.cancelUpload.handler(() => ({})),
  },
  archive: {
    exportConversation: os.archive.exportConversation.handler(({ input }) => ({
      ...chats.download,
      name: `chat.${input.format === 'json' ? 'json' : 'md'}`,
    })),
    exportAll: os.archive.exportAll.handler(() => chats.download),
    import: os.archive.import.handler(() => chats.import()),
  },
  apps: {
    watch: os.apps.watch.handler(({ signal }) => gateway.watch(() => gateway.apps, signal)),
    watchUsage: os.apps.watchUsage.handler(({ signal }) => gateway.watch(() => gateway.use(), signal)),
    add: os.apps.add.handler(({ input }) => ({
      app: gateway.add(input),
      key: 'isk_4Zr8Qm1vY7kLw0Tt9cPpXd2sHn6uJb3a',
    })),
    update: os.apps.update.handler(({ input }) => gateway.change(input.id, input.changes)),
    pause: os.apps.pause.handler(({ input }) => gateway.change(input.id, { pausedAt: input.paused ? now() : null })),
    pauseAll: os.apps.pauseAll.handler(({ input }) => ({ changed: gateway.pauseAll(input.paused) })),
    resetSpend: os.apps.resetSpend.handler(({ input }) => gateway.change(input.id, {})),
    rotate: os.apps.rotate.handler(({ input }) => ({
      app: gateway.change(input.id, {
        previousKeyUntil: new Date(Date.now() + input.graceHours * 3_600_000).toISOString(),
      }),
      key: 'isk_9Xq2Lm4vT7kBw1Zz5cRrFd8sYn3uGj6h',
    })),
    revoke: os.apps.revoke.handler(({ input }) => gateway.change(input.id, { revokedAt: now() })),
  },
  usage: {
    watch: os.usage.watch.handler(({ signal }) => live(() => usage.accounts(), signal)),
    watchSpend: os.usage.watchSpend.handler(({ signal }) => live(() => usage.spend(), signal)),
    refresh: os.usage.refresh.handler(() => usage.rename('main account')),
    rename: os.usage.rename.handler(({ input }) => {
      const account = usage.rename(input.name)
      change({})
      return account
    }),
    summary: os.usage.summary.handler(() => usage.summary()),
    view: os.usage.view.handler(({ input }) => packView(usage.view(input))),
    compare: os.usage.compare.handler(({ input }) => usage.compare(input.from, input.to, input.daily)),
    corrections: os.usage.corrections.handler(({ input }) => usage.corrections(input.from, input.to)),
    undated: os.usage.undated.handler(() => usage.undated()),
    topConversations: os.usage.topConversations.handler(() => usage.top()),
    export: os.usage.export.handler(({ input }) => ({ ...chats.download, name: `usage.${input.format}` })),
  },
  limits: {
    watch: os.limits.watch.handler(({ signal }) => live(() => usage.limits(), signal)),
    history: os.limits.history.handler(() => usage.limited()),
  },
  keys: {
    watch: os.keys.watch.handler(({ signal }) => live(() => usage.keys(), signal)),
    daily: os.keys.daily.handler(({ input }) => usage.keyDays(input.keyId, input.from, input.to)),
    refresh: os.keys.refresh.handler(() => ({ keys: usage.keys().length })),
  },
  alerts: {
    watch: os.alerts.watch.handler(({ signal }) => live(() => alerts, signal)),
    update: os.alerts.update.handler(({ input }) => {
      changeAlerts({ settings: { ...alerts.settings, ...(input as Partial<typeof alerts.settings>) } })
      return alerts.settings
    }),
    dismiss: os.alerts.dismiss.handler(({ input: { id } }) => {
      const left = id === undefined ? [] : alerts.alerts.filter((one) => one.id !== id)
      const dismissed = alerts.alerts.length - left.length
      changeAlerts({ alerts: left })
      return { dismissed }
    }),
    testNotification: os.alerts.testNotification.handler(() => ({ shown: alerts.notifies, reason: null })),
  },
  requests: {
    watch: os.requests.watch.handler(({ input, signal }) => gateway.events(input.filter, input.newest, signal)),
    page: os.requests.page.handler(({ input }) => ({
      rows: gateway.page(input.filter, input.before, input.limit),
    })),
    counts: os.requests.counts.handler(({ input }) => ({
      stored: gateway.page(input.filter, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).length,
      refusedToday: 3,
      bodyBytes: 1_240_000,
    })),
    get: os.requests.get.handler(({ input }) => gateway.detail(input.id)),
    export: os.requests.export.handler(() => ({ ...chats.download, name: 'requests.csv' })),
    stop: os.requests.stop.handler(({ input }) => ({ stopped: gateway.stop(input.id) })),
    deleteBodies: os.requests.deleteBodies.handler(() => ({ erased: 1 })),
  },
}

addEventListener('message', ({ ports }) => {
  const [port] = ports
  if (!port) return
  new RPCHandler(router).upgrade(port)
  port.start()
})
