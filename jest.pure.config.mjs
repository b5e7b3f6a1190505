import config from "./jest.config.mjs";

const { globalSetup: _, globalTeardown: __, ...pure } = config;

/** The specs that stand beside the code: no service is started. */
export default { ...pure, roots: ["<rootDir>/apps", "<rootDir>/libs"] };
