import { useEffect, useRef, useState } from 'react'
import { type McpServer, type McpSignIn, signInRedirect } from '../../../../src-preload/contract/tools.ts'
import { problemOf } from '../../../api/problem.ts'
import { showNames } from '../../../i18n/format.ts'
import { ProblemNotice } from '../../../shared/errors/ProblemNotice.tsx'
import { useStudio } from '../../../shared/studioContext.ts'
import { showToast } from '../../../shared/toasts.ts'
import { useToolTranslate } from '../../../shared/toolMessages.ts'
import { Button } from '../../../shared/ui/Button.tsx'
import { Field, PasswordInput, TextInput } from '../../../shared/ui/Field.tsx'
import { Form } from '../../../shared/ui/Form.tsx'
import { Notice } from '../../../shared/ui/Notice.tsx'
import { plainText } from '../../../shared/ui/plainText.ts'
import { useCall } from '../../../shared/useCall.ts'
import { useApp } from '../../../stores/app.ts'
import { useAction } from './useAction.ts'

interface SignInProps {
  server: McpServer
  signIn: McpSignIn
}

/** The sign-in of a server over HTTP. Nothing is opened or sent before the person presses the button. */
export function SignIn({ server, signIn }: SignInProps) {
  const { step } = signIn
  const element = useRef<HTMLDivElement>(null)
  const isUsed = useRef(false)
  // A button that the next step removes takes the focus with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each change of the step
  useEffect(() => {
    if (!isUsed.current || document.activeElement !== document.body) return
    element.current?.querySelector<HTMLElement>('button, input')?.focus()
  }, [step])
  if (step === 'done' || server.state === 'off') return null
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: notes that the focus was in here
    <div ref={element} onFocus={() => (isUsed.current = true)}>
      {step === 'needed' || step === 'more' ? (
        <Needed server={server} signIn={signIn} step={step} />
      ) : (
        <Running server={server} signIn={signIn} step={step} />
      )}
    </div>
  )
}

/** Starts the sign-in and opens its page: in the system's browser on the desktop, otherwise in a new tab of this browser. */
function useStart(server: McpServer) {
  const studio = useStudio()
  const t = useToolTranslate()
  const isDesktop = useApp(({ app }) => app?.host === 'desktop')
  // The sign-in waits: its link and its Cancel button still work.
  const failed = (thrown: unknown): void =>
    showToast({ id: 'settings-tools', text: t('settings.signIn.notOpened', { reason: problemOf(thrown).message }) })
  return async (client?: { id: string; secret: string | null }): Promise<void> => {
    const { url } = await studio.tools.signIn({ id: server.id, ...(client ? { client } : {}) })
    if (isDesktop) await studio.app.openExternal({ url }).catch(failed)
    else window.open(url, '_blank', 'noopener,noreferrer')
  }
}

function Needed({ server, signIn, step }: SignInProps & { step: 'needed' | 'more' }) {
  const t = useToolTranslate()
  const start = useStart(server)
  const { busy, run } = useCall()
  const { problem, needsClient, scopes } = signIn
  const { transport } = server
  const host = transport.kind === 'http' && URL.canParse(transport.url) ? new URL(transport.url).host : ''
  const about = step === 'more' ? 'settings.signIn.moreAbout' : 'settings.signIn.neededAbout'
  // A client ID is entered in the form below, which has its own button.
  const button = !needsClient && (
    <Button size="small" busy={busy} onClick={() => run(start)}>
      {t('settings.signIn.start')}
    </Button>
  )
  const asked = scopes.length > 0 && (
    <p className="basis-full break-words">{t('settings.signIn.scopes', { names: plainText(showNames(scopes)) })}</p>
  )
  return (
    <div className="flex flex-col gap-2">
      {problem ? (
        // The message says what the server did. The sentence of its kind is about the service.
        <ProblemNotice
          problem={problem}
          title={t('settings.signIn.failed')}
          meaning={plainText(problem.message)}
          noAction
        >
          {asked}
          {button}
        </ProblemNotice>
      ) : (
        <Notice kind="warn" role="note" title={t(`settings.signIn.${step}`)} buttons={button}>
          <p className="break-words">{t(about, { host: plainText(host) })}</p>
          {asked}
        </Notice>
      )}
      {needsClient && <ClientForm busy={busy} onStart={(client) => run(() => start(client))} />}
    </div>
  )
}

interface ClientFormProps {
  busy: boolean
  onStart: (client: { id: string; secret: string | null }) => void
}

/** For an authorization server that does not register programs by itself. */
function ClientForm({ busy, onStart }: ClientFormProps) {
  const t = useToolTranslate()
  const [id, setId] = useState('')
  const [secret, setSecret] = useState('')
  const [isTried, setTried] = useState(false)
  const save = () => {
    setTried(true)
    if (id.trim() !== '') onStart({ id: id.trim(), secret: secret === '' ? null : secret })
  }
  return (
    <Form noValidate className="flex flex-col gap-3" onSubmit={save}>
      <Field
        label={t('settings.signIn.clientId')}
        hint={t('settings.signIn.clientIdHint', { address: signInRedirect })}
        error={isTried && id.trim() === '' ? t('settings.signIn.clientIdEmpty') : null}
      >
        <TextInput mono maxLength={2000} value={id} onChange={(event) => setId(event.target.value)} />
      </Field>
      <Field label={t('settings.signIn.clientSecret')} hint={t('settings.signIn.clientSecretHint')}>
        <PasswordInput
          showLabel={t('settings.server.show')}
          hideLabel={t('settings.server.hide')}
          maxLength={10_000}
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
        />
      </Field>
      <Button type="submit" variant="primary" busy={busy} className="self-start">
        {t('settings.signIn.start')}
      </Button>
    </Form>
  )
}

function Running({ server, signIn, step }: SignInProps & { step: 'preparing' | 'waiting' | 'finishing' }) {
  const t = useToolTranslate()
  const action = useAction()
  const host = plainText(signIn.host ?? '')
  return (
    <Notice kind="info" role="status" title={t(`settings.signIn.${step}`)}>
      {signIn.url !== null && <p>{t('settings.signIn.waitingAbout', { host })}</p>}
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button
          size="small"
          onClick={(event) => {
            // The second click of a double-click was meant for the button that started the sign-in.
            if (event.detail < 2) void action((client) => client.tools.cancelSignIn({ id: server.id }))
          }}
        >
          {t('settings.signIn.cancel')}
        </Button>
        {signIn.url !== null && (
          <a href={signIn.url} target="_blank" rel="noopener noreferrer" className="rounded-s text-accent underline">
            {t('settings.signIn.open')}
          </a>
        )}
      </div>
      {signIn.url !== null && <Elsewhere server={server} />}
    </Notice>
  )
}

/** For a browser on another computer, which cannot load the last page. */
function Elsewhere({ server }: { server: McpServer }) {
  const t = useToolTranslate()
  const studio = useStudio()
  const [address, setAddress] = useState('')
  const { busy, problem, run } = useCall()
  return (
    <details className="mt-2">
      <summary className="w-fit rounded-s font-[520]">{t('settings.signIn.elsewhere')}</summary>
      <Form
        noValidate
        className="mt-2 flex flex-col gap-2"
        onSubmit={() => run(() => studio.tools.continueSignIn({ id: server.id, address }))}
      >
        <Field
          label={t('settings.signIn.address')}
          hint={t('settings.signIn.elsewhereHint')}
          error={problem ? plainText(problem.message) : null}
        >
          <TextInput mono maxLength={16_000} value={address} onChange={(event) => setAddress(event.target.value)} />
        </Field>
        <Button type="submit" size="small" busy={busy} className="self-start">
          {t('settings.signIn.continue')}
        </Button>
      </Form>
    </details>
  )
}
