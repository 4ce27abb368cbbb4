import { describe, expect, test } from 'vitest'
import { firstCases } from '../../../helpers/effort.ts'
import { addSchema, addTool, call, featureOfTest, problemOf } from './helpers.ts'

describe('a tool that a person writes', () => {
  test('is stored as typed, and refused if its schema is invalid or its name is taken', async () => {
    const feature = featureOfTest()
    const schema = ` ${addSchema}\n`
    const tool = await feature.tools.saveFunction({ ...addTool, schema })
    expect(feature.tools.state().functions).toEqual([tool])
    expect(tool.schema).toBe(schema)
    expect(await problemOf(feature.tools.saveFunction(addTool))).toMatchObject({
      kind: 'bad_input',
      message: 'A tool called add exists already.',
    })
    expect(
      await problemOf(feature.tools.saveFunction({ ...addTool, name: 'x', schema: '{"type":"strin"}' })),
    ).toMatchObject({
      kind: 'bad_input',
    })
    await feature.tools.saveFunction({ ...addTool, id: tool.id, description: 'Other words' })
    await feature.restart()
    expect(feature.tools.state().functions).toMatchObject([{ id: tool.id, description: 'Other words' }])
    feature.tools.removeFunction(tool.id)
    expect(feature.tools.state().functions).toEqual([])
  })

  test.each(
    firstCases(2, [
      ['auto', undefined],
      ['none', 'none'],
      ['required', 'required'],
      [{ name: 'add' }, { type: 'function', function: { name: 'add' } }],
      [{ name: 'gone' }, undefined],
    ] as const),
  )('is sent with a request; the choice %j is sent as %j', async (choice, sent) => {
    const feature = featureOfTest()
    const tool = await feature.tools.saveFunction(addTool)
    const enabled = ['function:9d3c4a8e-0000-4000-8000-000000000000', `function:${tool.id}`, `function:${tool.id}`]
    const wanted = {
      tools: [
        {
          type: 'function',
          function: { name: 'add', description: addTool.description, parameters: JSON.parse(addSchema) },
        },
      ],
      ...(sent === undefined ? {} : { tool_choice: sent }),
    }
    expect(feature.tools.toolsFor(feature.conversation({ enabled, choice }))).toEqual(wanted)
    expect(feature.tools.toolsFor(feature.conversation({ enabled: [], choice }))).toEqual({})
  })

  test('is sent with strict and parallel calls only if they are set', async () => {
    const feature = featureOfTest()
    const tool = await feature.tools.saveFunction({ ...addTool, strict: true })
    const enabled = [`function:${tool.id}`]
    const members = feature.tools.toolsFor(feature.conversation({ enabled, parallel: false }))
    expect(members).toMatchObject({ tools: [{ function: { strict: true } }], parallel_tool_calls: false })
    expect(feature.tools.toolsFor(feature.conversation({ enabled }))).not.toHaveProperty('parallel_tool_calls')
  })
})

describe('a call', () => {
  test('waits for a decision, then for a result by hand; then the model continues once', async () => {
    const feature = featureOfTest()
    const { conversation } = await feature.withAdd()
    const row = feature.oneRow(conversation)
    expect(row.run.state).toBe('awaiting')
    await feature.tools.decide(row.id, 'once')
    expect(feature.toolCalls.toolMessage(row.id).run).toMatchObject({ state: 'by_hand', allowed: 'once' })
    expect(feature.toolCalls.asked).toEqual([])
    await feature.tools.answer(row.id, '3', false)
    expect(feature.toolCalls.toolMessage(row.id)).toMatchObject({ text: '3', run: { state: 'done', isError: false } })
    expect(feature.toolCalls.asked).toEqual([row.parentId])
    expect(await problemOf(feature.tools.answer(row.id, '4', false))).toMatchObject({ kind: 'bad_input' })
    expect(await problemOf(feature.tools.decide(row.id, 'no'))).toMatchObject({ kind: 'bad_input' })
  })

  test('is allowed by a result that precedes the decision', async () => {
    const feature = featureOfTest()
    const { conversation } = await feature.withAdd()
    const row = feature.oneRow(conversation)
    await feature.tools.answer(row.id, 'It broke', true)
    expect(feature.toolCalls.toolMessage(row.id)).toMatchObject({
      text: 'It broke',
      run: { state: 'done', isError: true, allowed: 'once' },
    })
  })

  test('that is denied returns the reason to the model, and the round continues', async () => {
    const feature = featureOfTest()
    const { conversation } = await feature.withAdd()
    const row = feature.oneRow(conversation)
    await feature.tools.decide(row.id, 'no', 'Use the other one')
    const { text, run } = feature.toolCalls.toolMessage(row.id)
    expect(run).toMatchObject({ state: 'denied', isError: true, notes: ['Why not: Use the other one'] })
    expect(JSON.parse(text)).toMatchObject({ why: 'Use the other one' })
    expect(feature.toolCalls.asked).toHaveLength(1)
  })

  test.each([
    ['no JSON', '{"a":', /not JSON/],
    ['no object', '"a"', /must be a JSON object/],
    ['not what the schema asks', '{"a":"x","b":2}', /\/a: it is of the type "string"/],
  ])('with arguments that are %s is never run, and the model receives the faults', async (_, args, words) => {
    const feature = featureOfTest()
    const { conversation, tool } = await feature.withAdd()
    feature.store.toolPermissions.allow({ toolId: `function:${tool.id}`, conversationId: null, fingerprint: 'x' })
    const row = feature.oneRow(conversation, args)
    const settled = await feature.toolCalls.settled(row.id)
    expect(settled.run).toMatchObject({
      state: 'invalid',
      allowed: null,
      isError: true,
      notes: [expect.stringMatching(words)],
    })
    expect(JSON.parse(settled.text)).toMatchObject({
      error: expect.any(String),
      faults: [expect.stringMatching(words)],
    })
    await feature.toolCalls.until(() => feature.toolCalls.asked.length === 1)
  })

  test('that is allowed during the validation is still validated first', async () => {
    const feature = featureOfTest()
    const { conversation } = await feature.withAdd()
    const row = feature.oneRow(conversation, { a: 'x', b: 1 })
    await feature.tools.decide(row.id, 'always')
    expect(feature.toolCalls.toolMessage(row.id).run.state).toBe('invalid')
    expect(feature.tools.state().always).toEqual([])
  })

  test('of an unknown tool, or without a name, returns the existing tools', async () => {
    const feature = featureOfTest()
    const { conversation } = await feature.withAdd()
    const [one, other] = feature.reply(conversation, [call('sub', {}), call('', {})])
    expect(one?.run).toMatchObject({ state: 'unknown_tool', tool: null })
    expect(JSON.parse(one?.text ?? '')).toEqual({ error: 'There is no tool called "sub".', tools: ['add'] })
    expect(other?.run.state).toBe('unknown_tool')
    await feature.toolCalls.until(() => feature.toolCalls.asked.length === 1)
  })

  test('without an id or with a duplicate one gets a new id; 32 of a hundred calls are run', async () => {
    const feature = featureOfTest()
    const { conversation } = await feature.withAdd()
    const same = feature.reply(conversation, [
      call('add', {}, 'a'),
      call('add', {}, 'a'),
      call('add', {}, null),
      call('add', {}, ''),
    ])
    expect(new Set(same.map(({ run }) => run.callId)).size).toBe(4)
    expect(same[0]?.run.callId).toBe('a')
    const many = feature.reply(
      conversation,
      Array.from({ length: 100 }, () => call('add', { a: 1, b: 2 })),
    )
    expect(many).toHaveLength(100)
    expect(many.filter(({ run }) => run.state === 'awaiting')).toHaveLength(32)
    expect(many[32]?.run).toMatchObject({ state: 'invalid', notes: [expect.stringMatching(/more than 32/)] })
  })

  test('that is stopped returns that to the model, which continues; stopping a whole conversation does not ask the model', async () => {
    const feature = featureOfTest()
    const { conversation } = await feature.withAdd()
    const row = feature.oneRow(conversation)
    expect(feature.tools.stopCall(row.id)).toEqual({ stopped: true })
    expect(feature.tools.stopCall(row.id)).toEqual({ stopped: false })
    expect(feature.toolCalls.asked).toHaveLength(1)
    const rows = feature.reply(conversation, [call('add', { a: 1, b: 1 }), call('add', { a: 2, b: 2 })])
    expect(feature.tools.stopCalls(conversation)).toBe(2)
    expect(rows.map(({ id }) => feature.toolCalls.toolMessage(id).run.state)).toEqual(['stopped', 'stopped'])
    expect(feature.toolCalls.asked).toHaveLength(1)
    await feature.tools.resume(rows[0]?.id ?? '')
    expect(feature.toolCalls.asked).toHaveLength(2)
  })
})
