import { Check } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'

export const sentRoles = ['user', 'system', 'developer', 'assistant'] as const
export type SentRole = (typeof sentRoles)[number]

/** The role and name of the next message, in any chat. Reset to the person's own after each message. */
export const useSentAs = create<{ role: SentRole; name: string }>(() => ({ role: 'user', name: '' }))

/** Names of the roles, as keys of the namespace `composer`. */
export const roleNames = {
  user: 'roleUser',
  system: 'roleSystem',
  developer: 'roleDeveloper',
  assistant: 'roleAssistant',
} as const

/** Selects the role and name of the next message. Any role except the person's own adds the message without requesting a reply. */
export function RoleForm() {
  const { t } = useTranslation('composer')
  const { role, name } = useSentAs()
  const id = useId()
  return (
    <>
      <fieldset className="composer-roles">
        <legend>{t('roleTitle')}</legend>
        {sentRoles.map((one) => (
          <label key={one}>
            <input type="radio" name={id} checked={role === one} onChange={() => useSentAs.setState({ role: one })} />
            <span>{t(roleNames[one])}</span>
            <small>{t(one === 'user' ? 'roleUserAbout' : 'roleAddAbout')}</small>
            {role === one && <Check aria-hidden size={14} />}
          </label>
        ))}
      </fieldset>
      <label className="composer-name">
        {t('name')}
        <input
          dir="auto"
          value={name}
          maxLength={64}
          placeholder={t('namePlaceholder')}
          onChange={(event) => useSentAs.setState({ name: event.target.value })}
        />
        <small>{t('nameAbout')}</small>
      </label>
    </>
  )
}
