import { request } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  listenForRedirect,
  type RedirectListener,
} from '../../../../../src-main/core/features/tools/mcp/oauth/redirectListener.ts'
import { createWords } from '../../../../../src-renderer/i18n/host.ts'

const state = 'a-random-state'
let listener: RedirectListener
afterEach(() => listener.close())

/** One request as another program sends it. */
function ask(address: string, { method = 'GET', headers = {} }: { method?: string; headers?: object } = {}) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const sent = request(address, { method, headers: { ...headers } }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('the redirect of a sign-in', () => {
  test('is accepted once, with a plain page that contains nothing of the request', async () => {
    listener = await listenForRedirect(state, 0, createWords())
    expect(new URL(listener.url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/oauth/callback' })
    const page = await ask(`${listener.url}?state=${state}&code=<b>the-code</b>&iss=x`)
    expect(page.status).toBe(200)
    expect(page.headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*sandbox/),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(page.text).not.toMatch(/the-code|<script|<style|src=|href=/)
    expect(await listener.response).toEqual({ code: '<b>the-code</b>', error: null, iss: 'x' })
    await expect(ask(`${listener.url}?state=${state}&code=2`)).rejects.toThrow(/ECONNREFUSED/)
  })

  test('is not used up by requests that cannot be it', async () => {
    listener = await listenForRedirect(state, 0, createWords())
    const good = `${listener.url}?state=${state}&code=1`
    const { origin, port } = new URL(listener.url)
    const statuses = [
      await ask(`${origin}/`),
      await ask(`${origin}/favicon.ico`),
      await ask(`${origin}/oauth/callback/x?state=${state}&code=1`),
      await ask(`${origin}/OAuth/callback?state=${state}&code=1`),
      await ask(good, { method: 'POST' }),
      await ask(good, { headers: { host: `evil.example:${port}` } }),
      await ask(good, { headers: { host: `localhost:${port}` } }),
      await ask(good, { headers: { 'sec-fetch-dest': 'image' } }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([404, 404, 404, 404, 405, 421, 421, 403])
    expect((await ask(good, { headers: { 'sec-fetch-dest': 'document' } })).status).toBe(200)
    expect(await listener.response).toMatchObject({ code: '1' })
  })

  test('of two at the same time, only the first counts', async () => {
    listener = await listenForRedirect(state, 0, createWords())
    const both = await Promise.allSettled(['1', '2'].map((code) => ask(`${listener.url}?state=${state}&code=${code}`)))
    const accepted = both.filter((one) => one.status === 'fulfilled' && one.value.status === 200)
    expect(accepted).toHaveLength(1)
    expect((await listener.response).code).toMatch(/^[12]$/)
  })

  test.each([
    ['another state', `state=${state}x&code=1`],
    ['another state and an error', 'state=x&error=access_denied'],
    ['no state', 'code=1'],
    ['an error and no state', 'error=access_denied'],
    ['an empty state', 'state=&code=1'],
    ['two states', `state=${state}&state=${state}&code=1`],
    ['nothing', ''],
  ])('with %s is answered 400 and ignored: the sign-in goes on waiting', async (_, query) => {
    listener = await listenForRedirect(state, 0, createWords())
    const page = await ask(`${listener.url}?${query}`)
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('belongs to another sign-in') })
    expect(() => listener.take(`${listener.url}?${query}`)).toThrow(expect.objectContaining({ kind: 'bad_input' }))
    expect((await ask(`${listener.url}?state=${state}&code=2`)).status).toBe(200)
    expect(await listener.response).toMatchObject({ code: '2', error: null })
  })

  test('comes through a flood of wrong answers and of connections that send nothing', async () => {
    listener = await listenForRedirect(state, 0, createWords())
    const port = Number(new URL(listener.url).port)
    const silent = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    onTestFinished(() => {
      for (const socket of silent) socket.destroy()
    })
    const wrong = await Promise.all(
      Array.from({ length: 100 }, (_, at) => ask(`${listener.url}?state=${at}&error=access_denied`)),
    )
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([400]))
    expect((await ask(`${listener.url}?state=${state}&code=1`)).status).toBe(200)
    expect(await listener.response).toMatchObject({ code: '1' })
  })

  test('uses the preferred port if it is free, and another one if not', async () => {
    const first = await listenForRedirect(state, 0, createWords())
    const port = Number(new URL(first.url).port)
    listener = await listenForRedirect(state, port, createWords())
    expect(new URL(listener.url).port).not.toBe(String(port))
    listener.close()
    first.close()
    await expect
      .poll(async () => {
        listener = await listenForRedirect(state, port, createWords())
        const isSame = listener.url === first.url
        if (!isSame) listener.close()
        return isSame
      })
      .toBe(true)
  })
})
