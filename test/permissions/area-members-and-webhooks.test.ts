import { testRoles } from "./area-roles";

testRoles("members and webhooks");
