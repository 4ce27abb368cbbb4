import { FlaskConical, Plug } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '../../../src-preload/contract/problem.ts'
import { problemOf } from '../../api/problem.ts'
import { ConnectForm } from '../../shared/connect/ConnectForm.tsx'
import { switchTo } from '../../shared/connect/switch.ts'
import { ProblemNotice } from '../../shared/errors/ProblemNotice.tsx'
import { navigate } from '../../shared/navigation.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Button } from '../../shared/ui/Button.tsx'
import { Card } from '../../shared/ui/Card.tsx'
import { useApp } from '../../stores/app.ts'
import { trySandbox } from './firstMessage.ts'

/** First run. "Try the sandbox" leads to a streaming reply with one click. */
export function Welcome() {
  const { t } = useTranslation('shell')
  const studio = useStudio()
  /** Connections exist, but none is selected. */
  const returns = useApp(({ app }) => (app?.profiles.length ?? 0) > 0)
  const [connecting, setConnecting] = useState(false)
  const connectButton = useRef<HTMLButtonElement>(null)
  /** Both buttons disappear when they are pressed. The focus must not disappear with them. */
  const wasConnecting = useRef(false)
  useEffect(() => {
    if (wasConnecting.current && !connecting) connectButton.current?.focus()
    wasConnecting.current = connecting
  }, [connecting])
  const [step, setStep] = useState<'idle' | 'starting' | 'asking'>('idle')
  const [problem, setProblem] = useState<Problem | null>(null)

  // The new state can arrive before the call returns. The pages are then visible, and the person may already have opened one.
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  const toChat = () => {
    if (shown.current) navigate({ page: 'chat', id: null })
  }

  const start = () => {
    setProblem(null)
    const { hash } = location
    trySandbox(studio, t('welcome.example'), setStep).then(
      // The pages are visible before the message is sent. A person who has opened one stays there.
      (conversationId) => {
        if (location.hash === hash) navigate({ page: 'chat', id: conversationId })
      },
      (thrown: unknown) => {
        setProblem(problemOf(thrown))
        setStep('idle')
      },
    )
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-[760px] flex-col justify-center gap-7 px-7 py-10">
        <header className="text-center">
          <Mark />
          <h1 className="mt-4 font-semibold text-hero leading-tight tracking-[-.025em]">
            {t(returns ? 'welcome.again' : 'welcome.title')}
          </h1>
          <p className="mt-2 text-body text-soft">
            {t(connecting ? 'welcome.connect.lead' : returns ? 'welcome.againLead' : 'welcome.lead')}
          </p>
        </header>
        {!connecting && <Saved />}
        {connecting ? (
          <Card className="mx-auto w-full max-w-[480px] p-6">
            <ConnectForm
              takesFocus
              onConnected={toChat}
              aside={
                <Button variant="plain" onClick={() => setConnecting(false)}>
                  {t('welcome.connect.back')}
                </Button>
              }
            />
          </Card>
        ) : (
          <div className="grid gap-3 sm:grid-cols-2">
            <Choice
              icon={<FlaskConical aria-hidden size={20} strokeWidth={1.6} />}
              title={t('welcome.sandbox.title')}
              about={t('welcome.sandbox.about')}
            >
              <Button variant="primary" size="large" busy={step !== 'idle'} onClick={start}>
                {t(step === 'idle' ? 'welcome.sandbox.button' : `welcome.sandbox.${step}`)}
              </Button>
            </Choice>
            <Choice
              icon={<Plug aria-hidden size={20} strokeWidth={1.6} />}
              title={t('welcome.connect.title')}
              about={t('welcome.connect.about')}
            >
              <Button ref={connectButton} size="large" disabled={step !== 'idle'} onClick={() => setConnecting(true)}>
                {t('welcome.connect.button')}
              </Button>
            </Choice>
          </div>
        )}
        {problem && <ProblemNotice problem={problem} on={{ retry: start }} />}
      </div>
    </div>
  )
}

/** Lists the existing connections. One click connects. */
function Saved() {
  const { t } = useTranslation('shell')
  const studio = useStudio()
  const profiles = useApp(({ app }) => app?.profiles)
  if (!profiles || profiles.length === 0) return null
  return (
    <Card className="p-5">
      <h2 className="font-semibold text-l">{t('welcome.saved')}</h2>
      <div className="mt-3 flex flex-wrap gap-2">
        {profiles.map((profile) => (
          <Button key={profile.id} onClick={() => void switchTo(studio, profile)}>
            {t('welcome.savedSwitch', { name: profile.name })}
          </Button>
        ))}
      </div>
    </Card>
  )
}

function Choice(props: { icon: ReactNode; title: string; about: string; children: ReactNode }) {
  return (
    <Card className="flex flex-col items-start p-5">
      <div className="text-accent">{props.icon}</div>
      <h2 className="mt-3 font-semibold text-l">{props.title}</h2>
      <p className="mt-1 mb-5 text-soft">{props.about}</p>
      <div className="mt-auto flex w-full flex-col">{props.children}</div>
    </Card>
  )
}

const Mark = () => (
  <svg aria-hidden="true" viewBox="0 0 32 32" className="mx-auto size-12">
    <rect width="32" height="32" rx="8" className="fill-accent" />
    <path
      d="M8.5 14.5v3M13.5 10.5v11M18.5 7.5v17M23.5 12.5v7"
      strokeWidth="3"
      strokeLinecap="round"
      className="stroke-on-accent"
    />
  </svg>
)
