// Configuration of electron-builder, for `npm run package`. docs/releasing.md explains how to sign and publish.
// `npm run package:check` tests what it produces without Electron's binary.
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Arch } from 'electron-builder'
import { root } from '../scripts/ready.mjs'

const here = join(root, 'resources', 'package')
const read = (name) => JSON.parse(readFileSync(join(here, name), 'utf8'))
const { maintainer, homepage, updates } = read('publisher.json')

/**
 * Whether a certificate for macOS is given. Without one the program is signed ad hoc, because Apple silicon starts no unsigned program. The
 * hardened runtime would then refuse Electron's own libraries, which no team has signed.
 */
const hasMacCertificate = Boolean(process.env.CSC_LINK || process.env.CSC_NAME)

/** Electron's switches that are written into its binary. All of them are listed, so that a new default of Electron changes nothing. */
const electronFuses = {
  // With these three, the signed program would run any script of another program with the rights that the person gave to ours.
  runAsNode: false,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  // The code is the signed archive alone. Electron checks the hash on macOS and Windows.
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  // The page is served over app:, never over file:.
  grantFileProtocolExtraPrivileges: false,
  enableCookieEncryption: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  resetAdHocDarwinSignature: false,
}

/** Documents that "Open with" offers the application for. It never becomes the default program of a type. */
const documents = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  epub: 'application/epub+zip',
  md: 'text/markdown',
  csv: 'text/csv',
  txt: 'text/plain',
}

/**
 * Refuses a package without exactly the native modules that its system loads: it would start, and have no keychain.
 * @type {(context: import('electron-builder').AfterPackContext) => Promise<void>}
 */
async function requireNativeModules({ appOutDir, electronPlatformName, arch, packager }) {
  const name = Arch[arch]
  // A universal application of macOS contains both. Node calls every 32-bit ARM "arm".
  const processors = name === 'universal' ? ['x64', 'arm64'] : [name === 'armv7l' ? 'arm' : name]
  const wanted = processors.map((one) => `node_modules/keytar/prebuilds/${electronPlatformName}-${one}/keytar.node`)
  const unpacked = join(packager.getResourcesDir(appOutDir), 'app.asar.unpacked')
  const packed = globSync('**/*.node', { cwd: unpacked }).map((path) => path.replaceAll(sep, '/'))
  if (packed.toSorted().join() === wanted.toSorted().join()) return
  throw new Error(
    `The package for ${electronPlatformName} (${name}) must contain the native module ${wanted.join(' and ')}, but contains ` +
      `${packed.join(', ') || 'none'}. Without it there is no keychain. Build the package on its own system, with a complete node_modules.`,
  )
}

/** @type {import('electron-builder').Configuration} */
export default {
  appId: 'app.inference-studio',
  copyright: 'MIT licence',
  directories: { output: 'dist', buildResources: 'resources/package' },

  // What is in app.asar: tests/package/desktop.test.ts has the same list, so that nothing is added by accident.
  files: [
    'out/**/*',
    // Source maps are as large as the code, and nothing reads them in an installed application.
    '!**/*.map',
    'resources/icons/**/*',
    // The icon of windows on Linux.
    'resources/package/icons/256x256.png',
    'LICENSE',
    'CHANGELOG.md',
    'package.json',
    '!node_modules/**/{README,readme,CHANGELOG,HISTORY}*',
    '!node_modules/**/.*',
    '!node_modules/@types/**',
    '!node_modules/**/*.{md,ts,mts,cts,tsbuildinfo,flow,gyp,cc,h,c}',
    // One prebuilt library of thirteen. The macro is the system of the computer that builds; `requireNativeModules` refuses it for another.
    '!node_modules/keytar/{build,script,src,prebuilds}/**',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a macro of electron-builder
    'node_modules/keytar/prebuilds/${platform}-${arch}/keytar.node',
    '!node_modules/node-addon-api/**',
    // One encoding of eight, in both module formats.
    '!node_modules/gpt-tokenizer/{dist,src,data}/**',
    '!node_modules/gpt-tokenizer/{cjs,esm}/{bpeRanks,encoding,fixtures,model}/**',
    'node_modules/gpt-tokenizer/{cjs,esm}/encoding/cl100k_base.js',
    'node_modules/gpt-tokenizer/{cjs,esm}/bpeRanks/cl100k_base.js',
    // Builds for browsers.
    '!node_modules/mediabunny/{dist/bundles,src}/**',
    '!node_modules/@mediabunny/*/{src,dist/modules}/**',
    '!node_modules/@mediabunny/*/dist/bundles/*.{js,min.mjs}',
    '!node_modules/{mpg123-decoder,@wasm-audio-decoders/*}/dist/**',
  ],
  // The operating system loads libraries from files only.
  asarUnpack: ['**/*.node'],
  // The npm package of keytar has a prebuilt library for each system.
  npmRebuild: false,
  afterPack: requireNativeModules,
  electronFuses,
  extraMetadata: {
    homepage,
    // The identity of the program on Linux. Portals, which give global shortcuts under Wayland, accept reverse domain names only.
    desktopName: 'app.inference_studio.Studio.desktop',
    // Read by src-main/hosts/electron/updates/. In the archive, so that its integrity covers the public key.
    ...(updates && { updates }),
  },
  // Without an address there is no feed, and the application offers no updates.
  publish: updates ? [{ provider: 'generic', url: updates.url }] : null,
  electronUpdaterCompatibility: '>=2.16',
  protocols: [{ name: 'Inference Studio', schemes: ['inference-studio'] }],

  linux: {
    target: ['AppImage', 'deb', 'rpm'],
    maintainer,
    executableName: 'inference-studio',
    syncDesktopName: true,
    category: 'Utility',
    synopsis: 'Desktop studio and local gateway for an inference service',
    icon: 'resources/package/icons',
    // A desktop file only lists the types. The person or the distribution chooses the default program.
    mimeTypes: Object.values(documents),
    desktop: {
      entry: {
        Keywords: 'AI;LLM;chat;speech;transcription;gateway;',
        StartupNotify: 'true',
        Actions: 'new-chat;quick-prompt;',
      },
      desktopActions: {
        'new-chat': { Name: 'New chat', Exec: 'inference-studio --new-chat' },
        'quick-prompt': { Name: 'Quick prompt', Exec: 'inference-studio --quick-prompt' },
      },
    },
  },
  // Ubuntu 23.10 and later let a program use user namespaces, which Chromium's sandbox needs, only with an AppArmor profile.
  deb: { appArmorProfile: 'resources/package/apparmor-profile.tpl', recommends: ['libayatana-appindicator3-1'] },
  // With its own runtime, which does not need libfuse2.
  toolsets: { appimage: '1.0.3' },

  mac: {
    target: ['dmg', 'zip'],
    icon: 'resources/package/icons/icon.icns',
    category: 'public.app-category.productivity',
    hardenedRuntime: hasMacCertificate,
    ...(!hasMacCertificate && { identity: '-' }),
    entitlements: 'resources/package/entitlements.mac.plist',
    entitlementsInherit: 'resources/package/entitlements.mac.plist',
    extendInfo: 'resources/package/Info.mac.plist',
    notarize: process.env.APPLE_TEAM_ID !== undefined,
    fileAssociations: [{ ext: Object.keys(documents), name: 'Document', role: 'Viewer', rank: 'Alternate' }],
  },

  // Without types of files: the installer would make the application their default program.
  win: { target: ['nsis', 'portable'], icon: 'resources/package/icons/icon.ico' },
  nsis: {
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    deleteAppDataOnUninstall: false,
  },
}
