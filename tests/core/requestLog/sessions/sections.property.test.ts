import { randomBytes } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePrompts } from '../../../../src-main/core/requestLog/sessions/compare.ts'
import { maxSections, SectionReader } from '../../../../src-main/core/requestLog/sessions/sections.ts'

const secret = randomBytes(32)
const reader = new SectionReader(secret)
const read = (body: unknown, by = reader) => {
  const prompt = by.read(Buffer.from(JSON.stringify(body)))
  return prompt ?? expect.unreachable()
}
const sectionsOf = (body: unknown) => read(body).sections
const compared = (before: object, now: object, models: [string, string] = ['m', 'm']) =>
  comparePrompts({ model: models[0], sections: sectionsOf(before) }, { model: models[1], sections: sectionsOf(now) })

const text = fc.string({ unit: 'grapheme', maxLength: 60 })
const tool = fc.record({ name: fc.stringMatching(/^[a-z]{1,12}$/), description: text })
const tools = fc.uniqueArray(tool, { selector: ({ name }) => name, minLength: 2, maxLength: 8 })
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant'), content: text }),
  fc.record({ role: fc.constant('tool'), tool_call_id: text, content: text }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(
      fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
)
const chat = fc.record({
  tools: tools.map((all) => all.map((own) => ({ type: 'function', function: own }))),
  messages: fc
    .tuple(text, fc.array(message, { minLength: 1, maxLength: 12 }))
    .map(([system, rest]) => [{ role: 'system', content: system }, ...rest]),
})

describe('the sections of a prompt', () => {
  it('are its tools and its messages, in the order in which services read them, and contain no text', () => {
    fc.assert(
      fc.property(chat, (body) => {
        const sections = sectionsOf(body)
        expect(sections.map(({ name }) => name)).toEqual([
          ...body.tools.map((one) => one.function.name),
          ...body.messages.map(() => null),
        ])
        for (const { hash, undated, unnumbered, size } of sections) {
          for (const one of [hash, undated, unnumbered]) expect(one).toMatch(/^[\w-]{11}$/)
          expect(size).toBeGreaterThan(0)
        }
      }),
    )
  })

  it('are the same for every spelling of the same prompt', () => {
    fc.assert(
      fc.property(chat, fc.boolean(), (body, isIndented) => {
        const other = {
          // Another order of members, texts as lists of one part, marks of a cache, and other ids of calls.
          messages: body.messages.map(({ role, ...rest }, index) => {
            const content = 'content' in rest ? rest.content : null
            const parts = [
              { type: 'text', text: content, ...(index % 2 ? { cache_control: { type: 'ephemeral' } } : {}) },
            ]
            const calls =
              'tool_calls' in rest ? rest.tool_calls.map((call) => ({ ...call, id: `${call.id}x` })) : undefined
            return { ...(calls && { tool_calls: calls }), content: content ? parts : content, role }
          }),
          temperature: 1,
          tools: body.tools,
        }
        const bytes = Buffer.from(JSON.stringify(other, null, isIndented ? 2 : undefined))
        expect(reader.read(bytes)?.sections).toEqual(sectionsOf(body))
      }),
    )
  })

  it('have other hashes in another data folder', () => {
    const [own] = sectionsOf({ messages: [{ role: 'user', content: 'yes' }] })
    const [other] = read({ messages: [{ role: 'user', content: 'yes' }] }, new SectionReader(randomBytes(32))).sections
    expect(own?.hash).not.toBe(other?.hash)
  })

  it('count a picture by its usual tokens, not by its bytes', () => {
    const url = `data:image/png;base64,${'A'.repeat(400_000)}`
    const [section] = sectionsOf({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })
    expect(section?.size).toBeGreaterThan(3000)
    expect(section?.size).toBeLessThan(5000)
  })

  it('are at most 4,096: further ones are combined, and a change among them is seen', () => {
    const messages = Array.from({ length: 6000 }, (_, at) => ({ role: 'user', content: `message ${at}` }))
    const before = sectionsOf({ messages })
    expect(before).toHaveLength(maxSections)
    const now = sectionsOf({ messages: messages.map((one, at) => (at === 5500 ? { ...one, content: 'other' } : one)) })
    expect(comparePrompts({ model: null, sections: before }, { model: null, sections: now }).kept).toBe(maxSections - 1)
  })

  it.each([
    ['one word of 4 MB', 'a'.repeat(4_000_000)],
    ['digits', '1'.repeat(4_000_000)],
    ['almost dates', '2026-1'.repeat(600_000)],
    ['almost times', '1:'.repeat(2_000_000)],
    ['names of months', 'Jan'.repeat(1_300_000)],
  ])('take linear time: %s', (_, content) => {
    const time = (length: number): number => {
      const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: content.slice(0, length) }] }))
      const from = process.cpuUsage()
      new SectionReader(secret).read(body)
      const { user, system } = process.cpuUsage(from)
      return user + system
    }
    time(100_000)
    // Quadratic work would take 1,600 times as long.
    expect(time(4_000_000)).toBeLessThan(400 * Math.max(2000, time(100_000)))
  })

  it('are null for what is no JSON object', () => {
    for (const body of ['', '[]', 'null', '{', '"x"']) expect(reader.read(Buffer.from(body))).toBeNull()
  })
})

describe('the id of a conversation in a body', () => {
  it.each([
    [{ prompt_cache_key: 'abc' }, 'abc'],
    [{ metadata: { user_id: 'user_1_account__session_7f-a' } }, '7f-a'],
    [{ metadata: { user_id: '{"device_id":"1","session_id":"7f-b"}' } }, '7f-b'],
    [{ metadata: { user_id: 'me' } }, null],
    [{ metadata: { user_id: '{"session_id":' } }, null],
    [{ prompt_cache_key: 7 }, null],
    [{}, null],
  ])('%j', (body, id) => {
    expect(read({ ...body, messages: [] }).conversation).toBe(id)
  })
})

describe('the first section that changed', () => {
  it('is none when messages were added, however many', () => {
    fc.assert(
      fc.property(chat, fc.array(message, { maxLength: 5 }), (body, more) => {
        const now = { ...body, messages: [...body.messages, ...more] }
        expect(compared(body, now)).toEqual({
          change: 'none',
          kept: body.tools.length + body.messages.length,
          section: null,
        })
      }),
    )
  })

  it('is found at any place of the history', () => {
    fc.assert(
      fc.property(chat, fc.nat(), fc.array(message, { maxLength: 3 }), (body, at, more) => {
        const place = 1 + (at % (body.messages.length - 1))
        const messages = body.messages.map((one, index) =>
          index === place ? { role: 'user', content: 'a message that no generator makes' } : one,
        )
        const found = compared(body, { ...body, messages: [...messages, ...more] })
        expect(found.kept).toBe(body.tools.length + place)
        expect(found.change).toBe('history')
      }),
    )
  })

  it('is the first tool that moved when the order changed', () => {
    fc.assert(
      fc.property(chat, fc.nat(), fc.nat(), (body, one, two) => {
        const { length } = body.tools
        const [from, to] = [one % length, two % length].sort((a, b) => a - b) as [number, number]
        fc.pre(from !== to)
        const moved = [...body.tools]
        ;[moved[from], moved[to]] = [moved[to], moved[from]] as [(typeof moved)[number], (typeof moved)[number]]
        const found = compared(body, { ...body, tools: moved })
        expect(found).toMatchObject({ change: 'tool_order', kept: from, section: { name: moved[from]?.function.name } })
      }),
    )
  })

  it('is the system prompt when only its time changed, whatever its form', () => {
    const time = fc.date({ min: new Date('2001-09-10'), max: new Date('2033-05-17'), noInvalidDate: true })
    const forms = [
      (at: Date) => at.toISOString(),
      (at: Date) => at.toUTCString(),
      (at: Date) => at.toLocaleString('en-US', { timeZone: 'UTC' }),
      (at: Date) => at.toLocaleTimeString('de', { timeZone: 'UTC' }),
      (at: Date) => String(at.getTime()),
      (at: Date) => at.toISOString().slice(0, 10),
    ]
    fc.assert(
      fc.property(chat, time, time, fc.constantFrom(...forms), (body, one, two, form) => {
        fc.pre(form(one) !== form(two))
        const at = (when: Date) => ({
          ...body,
          messages: [{ role: 'system', content: `You are here. Now: ${form(when)} ok` }, ...body.messages.slice(1)],
        })
        expect(compared(at(one), at(two)).change).toBe('system_time')
      }),
    )
  })

  const base = {
    tools: ['read', 'write', 'run'].map((name) => ({
      type: 'function',
      function: { name, description: `to ${name}` },
    })),
    messages: [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: 'Do it.' },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'More.' },
    ],
  }
  const [first, second, third] = base.tools
  const system = (content: string) => ({ ...base, messages: [{ role: 'system', content }, ...base.messages.slice(1)] })
  it.each([
    [
      'a tool was added',
      { ...base, tools: [...base.tools, { type: 'function', function: { name: 'plan' } }] },
      'tool_added',
    ],
    ['a tool was removed', { ...base, tools: [first, third] }, 'tool_removed'],
    ['the last tool was removed', { ...base, tools: [first, second] }, 'tool_removed'],
    [
      'a description changed',
      { ...base, tools: [first, { type: 'function', function: { name: 'write', description: 'other' } }, third] },
      'tool_changed',
    ],
    ['the system prompt changed', system('You are another agent.'), 'system'],
    [
      'the history lost messages',
      { ...base, messages: [base.messages[0], ...base.messages.slice(3)] },
      'history_shortened',
    ],
    [
      'the history is a summary',
      { ...base, messages: [base.messages[0], { role: 'user', content: 'So far.' }] },
      'history_shortened',
    ],
  ])('%s', (_, now, change) => {
    expect(compared(base, now).change).toBe(change)
  })

  it('a number in the system prompt changed', () => {
    expect(compared(system('Request 7f3a1 of the day.'), system('Request 81b2c of the day.')).change).toBe(
      'system_number',
    )
  })

  it('is not asked when the model changed, because each model has its own cache', () => {
    expect(compared(base, base, ['m', 'n'])).toEqual({ change: 'model', kept: 7, section: null })
  })
})
