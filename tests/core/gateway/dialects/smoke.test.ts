import { it } from 'vitest'
import { ask, jsonWithKey, openGateway } from '../../../helpers/gateway.ts'
import { startSandbox } from '../../../../src-main/sandbox/sandbox.ts'

it('smoke', async () => {
  const sandbox = await startSandbox()
  const gateway = await openGateway(sandbox.baseUrl, sandbox.apiKey)
  const body = (more: object) => JSON.stringify({ model: 'writer-small', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }], ...more })
  for (const more of [{}, { stream: true }, { messages: 3 }]) {
    const reply = await ask(`${gateway.url}/messages?beta=true`, { method: 'POST', headers: jsonWithKey, body: body(more) })
    console.log(reply.status, reply.headers, reply.body.toString(), reply.whole)
  }
  const cut = await ask(`${gateway.url}/messages?beta=true`, { method: 'POST', headers: {...jsonWithKey,'x-sandbox-fault': 'cut; bytes=1500'}, body: body({stream:true}) })
  console.log(cut.status, cut.body.toString(), cut.whole)
  const count = await ask(`${gateway.url}/messages/count_tokens`, { method: 'POST', headers: jsonWithKey, body: body({}) })
  console.log(count.status, count.body.toString())
  const models = await ask(`${gateway.url}/models`, { headers: { ...jsonWithKey, 'anthropic-version': 'x' } })
  console.log(models.status, models.body.toString().slice(0, 300))
  const bad = await ask(`${gateway.url}/messages`, { method: 'POST', headers: {}, body: body({}) })
  console.log(bad.status, bad.headers, bad.body.toString())
  console.log(await gateway.rows())
  await gateway.close()
  await sandbox.close()
})
