import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestScheduler } from '../../../../src-main/core/gateway/scheduler/requestScheduler.ts'
import type { Permit, Requester } from '../../../../src-main/core/ports/requests.ts'
import { app, type FakeClock, type FakeWish, headers, schedulerAt, studio, wish } from './helpers.ts'

interface Limits {
  concurrent: number | null
  rpm: number | null
  tpm: number | null
}

const maxWaiting = 16
const maxWaitingPerApp = 5
const maxWaitMs = 120_000

/** A scheduler beside a simple model, which computes what is allowed from the list of all events. */
class Watched {
  readonly scheduler: RequestScheduler
  readonly clock: FakeClock
  readonly limits: Limits
  readonly open: { asked: FakeWish; control: AbortController; pass: Permit | null; since: number }[] = []
  readonly inside: { asked: FakeWish; pass: Permit }[] = []
  readonly order: FakeWish[] = []
  readonly #sent: number[] = []
  readonly #spent: { at: number; tokens: number }[] = []
  heldUntil = 0
  settled = 0
  entered = 0

  constructor(limits: Limits) {
    const { scheduler, clock } = schedulerAt({ maxWaiting, maxWaitingPerApp, maxWaitMs })
    this.scheduler = scheduler
    this.clock = clock
    this.limits = limits
    scheduler.limits(limits)
  }

  enter(requester: Requester, slot: boolean, tokens: number): void {
    const control = new AbortController()
    const asked = wish(requester, { slot, tokens, signal: control.signal })
    const one = { asked, control, pass: null as Permit | null, since: this.clock.now() }
    let atOnce = true
    asked.trace.onAdmitted = () => this.#letIn(asked)
    this.entered += 1
    try {
      const result = this.scheduler.enter(asked)
      if (!(result instanceof Promise)) {
        this.#letIn(asked)
        this.inside.push({ asked, pass: result })
        this.settled += 1
        return
      }
      atOnce = false
      this.open.push(one)
      result.then(
        (pass) => {
          this.settled += 1
          this.inside.push({ asked, pass })
        },
        () => {
          this.settled += 1
        },
      )
    } catch {
      expect(atOnce).toBe(true)
      this.settled += 1
    }
  }

  leave(at: number, share: number): void {
    const [gone] = this.inside.splice(at % Math.max(1, this.inside.length), 1)
    if (!gone) return
    const used = Math.floor(gone.asked.tokens * share)
    this.#spent.push({ at: this.clock.now(), tokens: used })
    this.left.add(gone.asked)
    gone.pass.leave(used)
    gone.pass.leave(used)
  }
  readonly left = new Set<FakeWish>()

  /** Checks every guarantee of the scheduler when it admits a request. */
  #letIn(asked: FakeWish): void {
    const now = this.clock.now()
    const { concurrent, rpm, tpm } = this.limits
    expect(this.order).not.toContain(asked)
    expect(now).toBeGreaterThanOrEqual(this.heldUntil)
    const running = this.order.filter((one) => !this.left.has(one))
    if (asked.slot && concurrent !== null) {
      expect(running.filter(({ slot }) => slot).length).toBeLessThan(concurrent)
    }
    if (rpm !== null) expect(this.#sent.filter((at) => at > now - 60_000).length).toBeLessThan(rpm)
    if (tpm !== null && asked.tokens > 0) {
      const recent = this.#spent.filter(({ at }) => at > now - 60_000)
      const used =
        recent.reduce((sum, { tokens }) => sum + tokens, 0) + running.reduce((sum, { tokens }) => sum + tokens, 0)
      if (used > 0) expect(used + asked.tokens).toBeLessThanOrEqual(tpm)
    }
    // First in, first out among the requests of one sender with the same needs.
    const name = nameOf(asked)
    const before = this.order.findLast((one) => nameOf(one) === name && one.slot === asked.slot)
    if (before) expect(before.trace.id).toBeLessThan(asked.trace.id)
    this.order.push(asked)
    this.#sent.push(now)
  }

  check(): void {
    const waiting = this.scheduler.waiting()
    const counts = this.scheduler.counts()
    const running = this.order.filter((one) => !this.left.has(one))
    expect(counts.running).toBe(running.length)
    expect(counts.slots.used).toBe(running.filter(({ slot }) => slot).length)
    expect(counts.waiting).toBe(waiting.length)
    expect(waiting.length).toBeLessThanOrEqual(maxWaiting)
    const perTool = new Map<string, number>()
    for (const { requester } of waiting) {
      if (requester.kind === 'app') perTool.set(requester.id, (perTool.get(requester.id) ?? 0) + 1)
    }
    for (const count of perTool.values()) expect(count).toBeLessThanOrEqual(maxWaitingPerApp)
    // A request that no limit blocks waits only behind a request that waits for tokens.
    if (waiting.some(({ why }) => why === 'turn')) expect(waiting.some(({ why }) => why === 'tokens')).toBe(true)
    const limit = this.clock.date() - maxWaitMs
    for (const { since } of waiting) expect(since).toBeGreaterThan(limit - 2)
  }
}

const nameOf = ({ requester }: FakeWish): string => (requester.kind === 'app' ? requester.id : 'studio')

const requester = fc.oneof(
  fc.constant(studio),
  fc.constantFrom('a', 'b', 'c', 'd').map((id) => app(id)),
)
const perhaps = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2, nil: null })
const limits = fc.record({
  concurrent: perhaps(fc.integer({ min: 1, max: 4 })),
  rpm: perhaps(fc.integer({ min: 1, max: 12 })),
  tpm: perhaps(fc.integer({ min: 1, max: 500 })),
})

type Step = (watched: Watched) => void
const enter = fc.record({ requester, slot: fc.boolean(), tokens: fc.oneof(fc.constant(0), fc.nat(300)) }).map(
  ({ requester: who, slot, tokens }): Step =>
    (watched) =>
      watched.enter(who, slot, tokens),
)
const leave = fc.record({ at: fc.nat(50), share: fc.double({ min: 0, max: 1, noNaN: true }) }).map(
  ({ at, share }): Step =>
    (watched) =>
      watched.leave(at, share),
)
const pass = fc.oneof(fc.nat(500), fc.nat(30_000)).map(
  (ms): Step =>
    (watched) =>
      watched.clock.pass(ms),
)
const abort = fc.nat(50).map(
  (at): Step =>
    (watched) =>
      watched.open[at % Math.max(1, watched.open.length)]?.control.abort(),
)
const cancel = fc.nat(50).map(
  (at): Step =>
    (watched) =>
      void watched.scheduler.cancel(watched.open[at % Math.max(1, watched.open.length)]?.asked.trace.id ?? 0),
)
const hold = perhaps(fc.nat(20_000)).map(
  (retryAfterMs): Step =>
    (watched) => {
      watched.heldUntil = Math.max(watched.heldUntil, watched.clock.now() + (retryAfterMs ?? 1_000))
      watched.scheduler.saw(429, headers({ retryAfterMs }))
    },
)
const figures = fc.record({ limit: perhaps(fc.nat(30)), remaining: perhaps(fc.nat(30)) }).map(
  (limits): Step =>
    (watched) =>
      watched.scheduler.saw(200, headers(limits)),
)

/** Permits of waiting requests arrive a microtask later. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve()
}

async function drain(watched: Watched): Promise<void> {
  // A permit is returned every two seconds, and a request that waits too long is refused.
  for (let round = 0; round < 400 && (watched.inside.length > 0 || watched.scheduler.counts().waiting > 0); round++) {
    watched.leave(0, 1)
    watched.clock.pass(2_000)
    await settle()
  }
}

describe('arbitrary sequences', () => {
  it('[LIM-05] never exceed a limit, lose a request or admit one twice, and every wait ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.array(
          fc.oneof(
            { weight: 8, arbitrary: enter },
            { weight: 5, arbitrary: leave },
            { weight: 3, arbitrary: pass },
            { weight: 1, arbitrary: abort },
            { weight: 1, arbitrary: cancel },
            { weight: 1, arbitrary: hold },
            { weight: 1, arbitrary: figures },
          ),
          { maxLength: 120 },
        ),
        async (set, steps) => {
          const watched = new Watched(set)
          for (const step of steps) {
            step(watched)
            await settle()
            watched.check()
          }
          await drain(watched)
          expect(watched.settled).toBe(watched.entered)
          expect(watched.scheduler.counts()).toMatchObject({ running: 0, waiting: 0, slots: { used: 0 } })
          expect(watched.clock.mostTimers).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('without tokens in play, each of k waiting apps gets one of every k + 1 admissions of apps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 2, maxLength: 60 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        async (first, more) => {
          const { scheduler } = schedulerAt({ maxWaiting: 1_000, maxWaitingPerApp: 1_000 })
          let slots = 1
          scheduler.limits({ concurrent: slots, rpm: null, tpm: null })
          await scheduler.enter(wish())
          const waiting = new Map<string, number>()
          /** For each continuously waiting app: how many apps were admitted since its last turn, and among how many. */
          const passedBy = new Map<string, { count: number; apps: number }>()
          const ask = (id: string): void => {
            const one = wish(app(id))
            one.trace.onAdmitted = () => letIn(id)
            void scheduler.enter(one)
            waiting.set(id, (waiting.get(id) ?? 0) + 1)
          }
          const letIn = (id: string): void => {
            const left = (waiting.get(id) ?? 0) - 1
            if (left > 0) waiting.set(id, left)
            else waiting.delete(id)
            passedBy.delete(id)
            for (const other of waiting.keys()) {
              if (other === id) continue
              const known = passedBy.get(other) ?? { count: 0, apps: 0 }
              const apps = Math.max(known.apps, waiting.size + (left > 0 ? 0 : 1))
              passedBy.set(other, { count: known.count + 1, apps })
              expect(known.count + 1).toBeLessThanOrEqual(apps)
            }
          }
          for (const id of first) ask(id)
          for (const greedy of more) {
            if (greedy) ask('a')
            slots += 1
            scheduler.limits({ concurrent: slots, rpm: null, tpm: null })
          }
        },
      ),
    )
  })

  it('while apps wait, no more than eight of the studio go in a row', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 20, maxLength: 120 }), (requesters) => {
        const { scheduler } = schedulerAt({ maxWaiting: 1_000, maxWaitingPerApp: 1_000 })
        scheduler.limits({ concurrent: 1, rpm: null, tpm: null })
        void scheduler.enter(wish())
        let apps = 0
        let row = 0
        for (const isTool of requesters) {
          const one = wish(isTool ? app('a') : studio)
          one.trace.onAdmitted = () => {
            row = isTool || apps === 0 ? 0 : row + 1
            if (isTool) apps -= 1
            expect(row).toBeLessThanOrEqual(8)
          }
          if (isTool) apps += 1
          void scheduler.enter(one)
        }
        for (let slots = 2; slots <= requesters.length + 1; slots++)
          scheduler.limits({ concurrent: slots, rpm: null, tpm: null })
        expect(scheduler.counts().waiting).toBe(0)
      }),
    )
  })
})
