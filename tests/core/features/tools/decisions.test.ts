import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { addTool, call, makeRoom, type Room } from './helpers.ts'

let room: Room
beforeEach(() => {
  room = makeRoom()
})
afterEach(() => room.close())

const fails = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown: unknown) => (thrown instanceof StudioError ? thrown.toProblem() : thrown),
  )

async function withAdd(more: object = {}) {
  const tool = await room.tools.saveFunction({ ...addTool, ...more })
  const conversation = room.conversation({ enabled: [`function:${tool.id}`] })
  return { tool, conversation }
}
async function oneRow(conversation: string, args: unknown = { a: 1, b: 2 }) {
  const [row] = room.reply(conversation, [call('add', args)])
  if (!row) throw new Error('no row')
  return row
}

describe('what a person allowed', () => {
  test('for a conversation holds there, also for calls that wait; always holds everywhere, until it is taken back', async () => {
    const { conversation, tool } = await withAdd()
    const elsewhere = room.conversation({ enabled: [`function:${tool.id}`] })
    const [one, two] = room.reply(conversation, [call('add', { a: 1, b: 1 }), call('add', { a: 2, b: 2 })])
    const other = await oneRow(elsewhere)
    await room.tools.decide(one?.id ?? '', 'conversation')
    await room.door.until(() => room.door.toolMessage(two?.id ?? '').run.state === 'by_hand')
    expect(room.door.toolMessage(two?.id ?? '').run.allowed).toBe('conversation')
    expect(room.door.toolMessage(other.id).run.state).toBe('awaiting')
    const later = await oneRow(conversation)
    await room.door.until(() => room.door.toolMessage(later.id).run.state === 'by_hand')

    await room.tools.decide(other.id, 'always')
    expect(room.tools.state().always).toEqual([`function:${tool.id}`])
    await room.restart()
    const afterwards = await oneRow(room.conversation({ enabled: [`function:${tool.id}`] }))
    await room.door.until(() => room.door.toolMessage(afterwards.id).run.allowed === 'always')
    room.tools.forget(`function:${tool.id}`)
    expect(room.tools.state().always).toEqual([])
    const asked = await oneRow(conversation)
    await room.tools.decide(asked.id, 'no')
    expect(room.door.toolMessage(asked.id).run.state).toBe('denied')
  })

  test('is bound to the form of the tool: an edited one is asked for anew', async () => {
    const { conversation, tool } = await withAdd()
    const row = await oneRow(conversation)
    await room.tools.decide(row.id, 'always')
    await room.tools.saveFunction({ ...addTool, id: tool.id, description: 'Deletes everything.' })
    expect(room.tools.state().always).toEqual([])
    const next = await oneRow(conversation)
    // Its arguments have been checked when those of a later call have been.
    const last = await oneRow(conversation, '{"a":"x"}')
    await room.door.settled(last.id)
    expect(room.door.toolMessage(next.id).run.state).toBe('awaiting')
    // A yes to what is shown holds for nothing that took its place meanwhile.
    await room.tools.saveFunction({ ...addTool, id: tool.id, description: 'Deletes even more.' })
    expect(await fails(room.tools.decide(next.id, 'once'))).toMatchObject({
      kind: 'bad_input',
      message: expect.stringMatching(/has changed/),
    })
    expect(room.door.toolMessage(next.id).run.state).toBe('awaiting')
    await room.tools.decide(next.id, 'once')
    expect(room.door.toolMessage(next.id).run.state).toBe('by_hand')
  })
})

describe('the loop', () => {
  test('ends at its bound, and goes on when the person says so', async () => {
    const { conversation } = await withAdd()
    room.door.roundsUpTo = 10
    const row = await oneRow(conversation)
    expect(await fails(room.tools.resume(row.id))).toMatchObject({ kind: 'busy' })
    await room.tools.answer(row.id, '3', false)
    expect(room.door.asked).toEqual([])
    await room.tools.resume(row.id)
    expect(room.door.asked).toEqual([row.parentId])
  })

  test('stands where the model can’t be asked, and is taken up later', async () => {
    const { conversation } = await withAdd()
    room.door.refuse = new StudioError('not_connected', 'Nothing is connected.')
    const row = await oneRow(conversation)
    await room.tools.answer(row.id, '3', false)
    room.door.refuse = null
    await room.tools.resume(row.id)
    expect(room.door.asked).toEqual([row.parentId])
    expect(room.lines).toEqual(['warn The model was not asked on: Nothing is connected.'])
  })

  test('outlives the program: what waited still waits', async () => {
    const { conversation } = await withAdd()
    const [one, two] = room.reply(conversation, [call('add', { a: 1, b: 1 }), call('add', { a: 2, b: 2 })])
    if (!one || !two) throw new Error('no rows')
    await room.tools.decide(one.id, 'once')
    await room.restart()
    expect(room.door.toolMessage(one.id).run.state).toBe('by_hand')
    expect(room.door.toolMessage(two.id).run.state).toBe('awaiting')
    await room.tools.answer(one.id, '2', false)
    await room.tools.decide(two.id, 'once')
    await room.tools.answer(two.id, '4', false)
    expect(room.door.asked).toEqual([one.parentId])
  })
})
