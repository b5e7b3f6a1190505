import { idSchema, INSTANT } from "../openapi/schemas.js";
import { MaybeShown, Shown, TEXT } from "../openapi/shown.js";
import { TextField } from "../validation/fields.js";

export class CreateKeyBody {
  @TextField({ max: 200, description: "For the operator, to tell keys apart." })
  name!: string;
}

export class KeyView {
  @Shown(idSchema("key"))
  id!: string;

  @Shown(TEXT)
  name!: string;

  @Shown(INSTANT)
  createdAt!: string;

  @MaybeShown(INSTANT)
  revokedAt?: string;
}

export class NewKeyView extends KeyView {
  @Shown(TEXT, { description: "The key itself: shown this once, kept only as a hash." })
  key!: string;
}
