// Zod would try `new Function` to compile its parsers, which the content security policy blocks and reports. Zod reads this setting when it
// loads. The build may load a shared file of Zod and schemas before a module that imports Zod, so this one imports nothing.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
