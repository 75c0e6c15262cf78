"""The name of the cookie that holds an anonymous visitor's signed device token."""

DEVICE_COOKIE = "antecedent_device"
