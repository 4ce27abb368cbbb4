import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { signInRedirect } from '../../../../../../src-preload/contract/tools.ts'
import type { HostTexts, Words } from '../../../../../../src-renderer/i18n/host.ts'
import { directionOf } from '../../../../../../src-renderer/i18n/language.ts'
import { isFromOtherUser } from '../../../../../listener/peerUser.ts'
import { openTabServer, refusalOf, sendPage } from '../../../../../listener/tab.ts'
import { StudioError } from '../../../../errors.ts'
import { inBackground, unexpected } from '../../../../shared/unexpected.ts'

const { pathname: path } = new URL(signInRedirect)

/** The parameters with which the authorization server sends the browser back. @see RFC 6749, section 4.1.2; RFC 9207 */
export interface AuthorizationResponse {
  code: string | null
  error: string | null
  iss: string | null
}

export interface RedirectListener {
  /** Redirect address of this sign-in, with its port. */
  readonly url: string
  /** Settles once, with the first response that has the right state. Rejects if that response is ambiguous. */
  readonly response: Promise<AuthorizationResponse>
  /**
   * Takes the address of the page that a browser on another computer could not load.
   * @throws StudioError `bad_input` if it is not an address of this sign-in, which goes on waiting
   */
  take(address: string): void
  /** Stops listening. Later connections are refused by the operating system. */
  close(): void
}

/**
 * Waits for the redirect of one sign-in on 127.0.0.1 (RFC 8252, section 7.3). Accepts one response and then stops listening. Any program of
 * this computer can connect: requests without the right state change nothing, however many there are.
 * @param state the random text that the response must repeat
 * @param preferredPort tried first, because a client may be registered with it; 0: any
 */
export async function listenForRedirect(state: string, preferredPort: number, words: Words): Promise<RedirectListener> {
  const { promise, resolve, reject } = Promise.withResolvers<AuthorizationResponse>()
  // A sign-in that is cancelled before its response has no other listener.
  promise.catch(() => undefined)
  let isUsed = false
  let isOtherUserReported = false

  const isOfThisSignIn = (query: URLSearchParams): boolean => {
    const states = query.getAll('state')
    return states.length === 1 && isSame(states[0] ?? '', state)
  }
  /** Takes a response with the right state. Returns whether it is a success. */
  const settle = (query: URLSearchParams): boolean => {
    isUsed = true
    // A repeated parameter makes the response ambiguous (RFC 6749, section 3.1).
    const [code, error, iss] = ['code', 'error', 'iss'].map((name) => query.getAll(name))
    if ([code, error, iss].some((values) => (values?.length ?? 0) > 1)) {
      reject(new StudioError('malformed_reply', 'The answer of the authorization server is ambiguous.'))
      return false
    }
    const response = { code: code?.[0] ?? null, error: error?.[0] ?? null, iss: iss?.[0] ?? null }
    resolve(response)
    return response.error === null
  }

  const receive = async (request: IncomingMessage, reply: ServerResponse, query: URLSearchParams): Promise<void> => {
    // The state is in the address of the sign-in page, and so in the command line of a browser that this program starts.
    if (await isFromOtherUser(request.socket)) {
      if (!isOtherUserReported) {
        const whatToDo = 'copy the address of the page that it shows into Inference Studio'
        unexpected('A sign-in came back in a browser of another user of this computer', whatToDo)
      }
      isOtherUserReported = true
      return answer(reply, 403, words, 'otherUser')
    }
    if (isUsed) return answer(reply, 410, words, 'used')
    const isAccepted = settle(query)
    reply.on('close', close)
    return isAccepted ? answer(reply, 200, words, 'received') : answer(reply, 400, words, 'failed')
  }
  const { origin, close } = await openTabServer(
    preferredPort,
    (request, reply) => {
      const { url: target = '' } = request
      const refused = refusalOf(request, target.startsWith(`${path}?`) || target === path)
      if (refused !== null) return answer(reply, refused, words, 'refused')
      const query = new URL(target, signInRedirect).searchParams
      if (!isOfThisSignIn(query)) return answer(reply, 400, words, 'other')
      inBackground('The answer of a sign-in could not be read', receive(request, reply, query))
    },
    (error) => unexpected('The answer of a sign-in could not be accepted', error),
  ).catch((cause: unknown) => {
    const message = 'The sign-in could not start: no local port is free for its answer.'
    throw new StudioError('port_taken', message, {}, { cause })
  })
  const url = origin + path
  return {
    url,
    response: promise,
    take(address) {
      const given = URL.parse(address.trim())
      const isOurs =
        given && `${given.origin}${given.pathname}` === url && given.username === '' && given.password === ''
      if (isOurs && !isUsed && !isOfThisSignIn(given.searchParams)) {
        throw new StudioError('bad_input', 'This address belongs to another sign-in. Copy it from the last page.')
      }
      if (!isOurs || isUsed) {
        throw new StudioError('bad_input', `This is not the address of the last page. It starts with ${url}?`)
      }
      settle(given.searchParams)
      close()
    },
    close,
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Contains no text from the request, because any page can make a browser open this address. */
function answer(
  reply: ServerResponse,
  status: number,
  { t, language }: Words,
  page: keyof HostTexts['core']['signIn'],
): void {
  const [title, text] = [t(`core:signIn.${page}.title`), t(`core:signIn.${page}.text`)]
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  }
  sendPage(
    reply,
    status,
    headers,
    `<!doctype html><html lang="${language}" dir="${directionOf(language)}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">` +
      `<meta name="viewport" content="width=device-width"><title>${title}</title></head>` +
      `<body><main><h1>${title}</h1><p>${text}</p></main></body></html>\n`,
  )
}
