import tseslint from "typescript-eslint";

/** What the compiler does not see: forgotten promises, sizes (house rules), and habits that hide a fault. */
export default tseslint.config(
  {
    ignores: [
      "dist/",
      "coverage/",
      "node_modules/",
      "prisma/generated/",
      "apps/console/generated/",
      "libs/client/api/openapi.ts",
      ".holdfast/",
    ],
  },
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strict],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-base-to-string": "error",
      "@typescript-eslint/no-extraneous-class": ["error", { allowWithDecorator: true }],
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-for-in-array": "error",
      "@typescript-eslint/no-misused-promises": "error",
      // With noUncheckedIndexedAccess it is how a loop says that its index is in range.
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unnecessary-type-assertion": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // NotLoaded is a signal of the hot path, not a fault: it carries what to load and costs no stack.
      "@typescript-eslint/only-throw-error": ["error", { allow: [{ from: "file", name: "NotLoaded" }] }],
      "@typescript-eslint/prefer-promise-reject-errors": "error",
      "@typescript-eslint/restrict-plus-operands": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ["**/*.{ts,tsx,mjs,js,cjs}"],
    rules: {
      complexity: ["error", 15],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "max-depth": ["error", 4],
      "max-lines": ["error", { max: 300 }],
      "max-lines-per-function": ["error", { max: 60 }],
      "max-params": ["error", 6],
      "no-console": "off",
      "no-constant-binary-expression": "error",
      "no-self-compare": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    // Nest reads from a class what to inject and what a body looks like, even where the class holds no code.
    files: ["apps/**/*.ts"],
    rules: { "@typescript-eslint/no-extraneous-class": "off", "@typescript-eslint/no-useless-constructor": "off" },
  },
  {
    // A describe block holds its tests; what counts there is the length of one test, which a reader sees.
    files: ["**/*.spec.ts"],
    rules: { "max-lines-per-function": "off" },
  },
);
