import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { Outbox, type OutboxSender } from '../../../../src-main/core/features/outbox/outbox.ts'
import { openStore, type Store } from '../../../../src-main/core/store/store.ts'
import type { Connection } from '../../../../src-preload/contract/app.ts'
import type { OutboxRequest } from '../../../../src-preload/contract/outbox.ts'
import { freshFolder } from '../../helpers/core.ts'

const stores: Store[] = []
afterEach(() => {
  for (const store of stores.splice(0)) store.close()
})

const images = (prompt: string): OutboxRequest => ({
  what: 'images',
  prompt,
  n: 1,
  model: null,
  size: null,
  responseFormat: null,
  fromImageId: null,
})

/** Possible actions, in any order. */
type ActionName =
  | { do: 'add' | 'cancel' | 'hold' | 'release' | 'change'; at: number }
  | { do: 'connect'; state: 'connected' | 'failed'; id: 'one' | 'two' }
  | { do: 'pass' }
  | { do: 'restart' }

const at = fc.nat({ max: 20 })
const action: fc.Arbitrary<ActionName> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('add' as const), at }) },
  fc.record({ do: fc.constantFrom('cancel' as const, 'hold' as const, 'release' as const, 'change' as const), at }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('connect' as const),
      state: fc.constantFrom('connected' as const, 'failed' as const),
      id: fc.constantFrom('one' as const, 'two' as const),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'pass' as const }) },
  fc.constant({ do: 'restart' as const }),
)

it('a request is sent at most once, in order, by its own account, and is never lost, in any order of actions', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const store = openStore(freshFolder())
      stores.push(store)
      const begun: { prompt: string; by: string }[] = []
      const added: Added[] = []
      const cancelled = new Set<string>()
      let connection: Connection = connectionIn('failed', 'one')
      const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

      const maker: OutboxSender<'images'> = {
        async make(wish, alongside) {
          await turn()
          const by = connection.profile?.id ?? ''
          if (connection.state !== 'connected') throw new StudioError('not_connected', 'Nobody is there.')
          store.transaction(alongside)
          begun.push({ prompt: wish.prompt, by })
          return { id: wish.prompt }
        },
        async over() {
          await turn()
          return 'done'
        },
        takeBack: () => expect.unreachable(),
        has: () => false,
      }
      const open = (): Outbox =>
        new Outbox({
          store,
          senders: {
            images: maker,
            speech: { ...maker, make: () => expect.unreachable(), takeBack: () => expect.unreachable() },
            transcript: { ...maker, make: () => expect.unreachable(), takeBack: () => expect.unreachable() },
          },
          connection: () => connection,
          reach: async () => {
            await turn()
            return connection.state === 'connected'
          },
          log: (_, line) => expect.unreachable(line),
        })

      let outbox = open()
      let count = 0
      /** Actions of the person. */
      const ask = (one: Extract<ActionName, { at: number }>): void => {
        const place = connection.profile?.id ?? ''
        if (one.do === 'add') {
          const prompt = `p${count++}`
          const { id } = outbox.add({ request: images(prompt) })
          added.push({ id, prompts: [prompt], for: place })
          return
        }
        const chosen = added[one.at % Math.max(1, added.length)]
        if (!chosen) return
        const { id } = chosen
        if (!outbox.read().items.some((item) => item.id === id)) {
          expect(() => outbox.cancel({ id })).toThrow(StudioError)
        } else if (one.do === 'cancel') {
          outbox.cancel({ id })
          cancelled.add(id)
        } else if (one.do === 'change') {
          const prompt = `p${count++}`
          outbox.update({ id, request: images(prompt) })
          chosen.prompts.push(prompt)
          chosen.for = place
        } else outbox.hold({ id, held: one.do === 'hold' })
      }
      for (const one of actions) {
        if (one.do === 'connect') {
          connection = connectionIn(one.state, one.id)
          outbox.connectionChanged()
        } else if (one.do === 'pass') await turn()
        else if (one.do === 'restart') {
          await outbox.close()
          outbox = open()
        } else ask(one)
      }
      await outbox.close()

      const left = new Map(outbox.read().items.map(({ id, label }) => [id, label]))
      expect(new Set(begun.map(({ prompt }) => prompt)).size).toBe(begun.length)
      for (const one of added) expectOnce(one, { left, begun, cancelled })

      // Without further actions everything is sent in order when its service is reachable.
      outbox = open()
      for (const id of ['one', 'two']) {
        release(outbox)
        const due = labelsFor(outbox, id)
        const before = begun.length
        connection = connectionIn('connected', id)
        outbox.connectionChanged()
        while (labelsFor(outbox, id).length > 0) await turn()
        expect(begun.slice(before).map(({ prompt }) => prompt)).toEqual(due)
      }
      await outbox.close()
    }),
    { numRuns: 40 },
  )
})

/** A queue whose sender calls `meanwhile` after the turn of a request and before its start. */
function queue() {
  const store = openStore(freshFolder())
  stores.push(store)
  const state = { connection: connectionIn('failed', 'one'), isThere: true, made: [] as string[], looks: 0 }
  const rig = { meanwhile: (): void => undefined }
  const maker: OutboxSender<'images'> = {
    async make(wish, alongside) {
      rig.meanwhile()
      store.transaction(alongside)
      if (wish.what === 'images') state.made.push(wish.prompt)
      return { id: wish.prompt }
    },
    over: async () => 'done',
    takeBack: () => expect.unreachable(),
    has: () => false,
  }
  const other = { ...maker, make: () => expect.unreachable(), takeBack: () => expect.unreachable() }
  const outbox = new Outbox({
    store,
    senders: { images: maker, speech: other, transcript: other },
    connection: () => state.connection,
    reach: async () => {
      state.looks += 1
      return state.isThere
    },
    log: (_, line) => expect.unreachable(line),
  })
  const setConnection = (connection: Connection): void => {
    state.connection = connection
    outbox.connectionChanged()
  }
  /** Waits until nothing is running. */
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 30; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return { outbox, state, rig, setConnection, settle }
}

const elsewhere = (): Connection => {
  const { profile, ...rest } = connectionIn('connected', 'one')
  return { ...rest, profile: profile && { ...profile, baseUrl: 'http://moved' } }
}

it.each<[string, (one: ReturnType<typeof queue>, id: string) => void, object[]]>([
  ['held', ({ outbox }, id) => outbox.hold({ id, held: true }), [{ state: 'held' }]],
  ['cancelled', ({ outbox }, id) => outbox.cancel({ id }), []],
  ['for another account now', ({ state }) => (state.connection = connectionIn('connected', 'two')), [{ here: false }]],
  ['for the same connection at another address', ({ state }) => (state.connection = elsewhere()), [{ here: false }]],
])('a request that is %s at the moment of its turn is not sent', async (_, meanwhile, left) => {
  const one = queue()
  const { id } = one.outbox.add({ request: images('a picture') })
  one.rig.meanwhile = () => meanwhile(one, id)
  one.setConnection(connectionIn('connected', 'one'))
  await one.settle()
  expect(one.state.made).toEqual([])
  expect(one.outbox.read().items).toMatchObject(left)
  expect(one.outbox.read().items).toHaveLength(left.length)
})

it('a request that is changed at the moment of its turn is sent once, as changed', async () => {
  const { outbox, state, rig, setConnection, settle } = queue()
  const { id } = outbox.add({ request: images('before') })
  rig.meanwhile = () => {
    rig.meanwhile = () => undefined
    outbox.update({ id, request: images('after') })
  }
  setConnection(connectionIn('connected', 'one'))
  await settle()
  expect(state.made).toEqual(['after'])
  expect(outbox.read().items).toEqual([])
})

it('nothing is sent while the service is unreachable, and a request that found it unreachable keeps waiting', async () => {
  const { outbox, state, rig, setConnection, settle } = queue()
  outbox.add({ request: images('a picture') })
  setConnection(connectionIn('failed', 'one'))
  await settle()
  expect([state.made, state.looks]).toEqual([[], 0])
  state.isThere = false
  setConnection(connectionIn('connected', 'one'))
  await settle()
  expect([state.made, state.looks]).toEqual([[], 1])
  state.isThere = true
  rig.meanwhile = () => {
    throw new StudioError('not_connected', 'Nobody is there.')
  }
  setConnection(connectionIn('connected', 'one'))
  await settle()
  expect(outbox.read().items).toMatchObject([{ state: 'waiting', problem: null }])
  rig.meanwhile = () => undefined
  setConnection(connectionIn('connected', 'one'))
  await settle()
  expect(state.made).toEqual(['a picture'])
})

function release(outbox: Outbox): void {
  for (const { id, state } of outbox.read().items) if (state === 'held') outbox.hold({ id, held: false })
}

const labelsFor = (outbox: Outbox, name: string): string[] =>
  outbox.read().items.flatMap(({ connection, label }) => (connection === name ? [label] : []))

interface Added {
  id: string
  prompts: string[]
  for: string
}

/** Checks that a request is in exactly one place (waiting, cancelled or sent), with its last prompt. */
function expectOnce(
  { id, prompts, for: place }: Added,
  found: { left: Map<string, string>; begun: { prompt: string; by: string }[]; cancelled: Set<string> },
): void {
  const { left, begun, cancelled } = found
  const sent = begun.filter(({ prompt }) => prompts.includes(prompt))
  const places = [left.has(id), cancelled.has(id), sent.length === 1].filter(Boolean)
  expect(places).toHaveLength(1)
  if (sent[0]) expect(sent[0]).toEqual({ prompt: prompts.at(-1), by: place })
  else if (left.has(id)) expect(left.get(id)).toBe(prompts.at(-1))
}

const connectionIn = (state: 'connected' | 'failed', id: string): Connection => ({
  state,
  profile: { id, name: id, kind: 'service', baseUrl: `http://${id}`, keyKept: 'session' },
  problem: null,
  checkedAt: null,
})

it('the end is reported also when the connection was being tested at that moment', async () => {
  const { outbox, state, rig, setConnection, settle } = queue()
  outbox.add({ request: images('a picture') })
  rig.meanwhile = () => (state.connection = connectionIn('failed', 'one'))
  setConnection(connectionIn('connected', 'one'))
  await settle()
  expect([state.made, outbox.read().ended]).toEqual([['a picture'], null])
  setConnection(connectionIn('connected', 'one'))
  await settle()
  expect(outbox.read().ended).toMatchObject({ done: 1, failed: 0 })
})
