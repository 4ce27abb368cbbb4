import { Plus, Settings2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { switchTo } from '../../shared/connect/switch.ts'
import { openConnectionSettings } from '../../shared/navigation.ts'
import { useStudio } from '../../shared/studioContext.ts'
import { Menu, MenuChoice, MenuChoices, MenuItem, MenuLine } from '../../shared/ui/Menu.tsx'
import { useApp } from '../../stores/app.ts'

/** The connection in the status bar, with a menu of all other connections. `about` is shown on hover. */
export function ConnectionMenu({ about, children }: { about: string | null; children: ReactNode }) {
  const { t } = useTranslation('shell')
  const studio = useStudio()
  const profiles = useApp(({ app }) => app?.profiles)
  const active = profiles?.find((profile) => profile.active)?.id ?? ''
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          title={about ?? t('connections.title')}
          className="num flex h-full min-w-0 items-center gap-1.5 rounded-s px-2 hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px] data-[state=open]:bg-hover data-[state=open]:text-ink"
        >
          {children}
        </button>
      }
    >
      {profiles && profiles.length > 0 && (
        <>
          <MenuChoices
            label={t('connections.label')}
            value={active}
            onChange={(id) => {
              const chosen = profiles.find((profile) => profile.id === id)
              if (chosen && id !== active) void switchTo(studio, chosen)
            }}
          >
            {profiles.map((profile) => (
              <MenuChoice
                key={profile.id}
                value={profile.id}
                beside={
                  profile.kind === 'sandbox' ? t('connections.sandbox') : profile.baseUrl.replace(/^https?:\/\//, '')
                }
              >
                {profile.name}
              </MenuChoice>
            ))}
          </MenuChoices>
          <MenuLine />
        </>
      )}
      <MenuItem
        icon={profiles?.length ? Settings2 : Plus}
        label={t(profiles?.length ? 'connections.manage' : 'connections.add')}
        onSelect={openConnectionSettings}
      />
    </Menu>
  )
}
