import { Check, UserRound } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { cx } from '../../../shared/ui/cx.ts'

export const sentRoles = ['user', 'system', 'developer', 'assistant'] as const
export type SentRole = (typeof sentRoles)[number]

/** The role and name of the next message, in any chat. Reset to the person's own after each message. */
export const useSentAs = create<{ role: SentRole; name: string }>(() => ({ role: 'user', name: '' }))

const titles = {
  user: 'roleUser',
  system: 'roleSystem',
  developer: 'roleDeveloper',
  assistant: 'roleAssistant',
} as const

/** Selects the role and name of the next message. Any role except the person's own adds the message without requesting a reply. */
export function RolePicker() {
  const { t } = useTranslation('composer')
  const { role, name } = useSentAs()
  const id = useId()
  const plain = role === 'user' && name === ''
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={t('role', { role: t(titles[role]) })}
        title={t('role', { role: t(titles[role]) })}
        className={cx(
          'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-m px-1.5 text-s transition-colors duration-100',
          'hover:bg-hover hover:text-ink data-[state=open]:bg-hover data-[state=open]:text-ink',
          plain ? 'text-soft' : 'bg-hover text-accent',
        )}
      >
        <UserRound aria-hidden size={16} strokeWidth={1.75} />
        {!plain && (
          <span className="max-w-32 truncate">{name === '' ? t(titles[role]) : `${t(titles[role])}, ${name}`}</span>
        )}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={t('roleTitle')}
          className="z-40 w-[min(260px,calc(100vw-24px))] animate-appear rounded-l bg-raise p-2.5 text-s shadow-[0_0_0_1px_var(--line-strong),var(--lift-large)]"
        >
          <fieldset className="composer-roles">
            <legend>{t('roleTitle')}</legend>
            {sentRoles.map((one) => (
              <label key={one}>
                <input
                  type="radio"
                  name={id}
                  checked={role === one}
                  onChange={() => useSentAs.setState({ role: one })}
                />
                <span>{t(titles[one])}</span>
                <small>{t(one === 'user' ? 'roleUserAbout' : 'roleAddAbout')}</small>
                {role === one && <Check aria-hidden size={14} />}
              </label>
            ))}
          </fieldset>
          <label className="composer-name">
            {t('name')}
            <input
              value={name}
              maxLength={64}
              placeholder={t('namePlaceholder')}
              onChange={(event) => useSentAs.setState({ name: event.target.value })}
            />
            <small>{t('nameAbout')}</small>
          </label>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
