// Command hello is a program to make an image of.
package main

import "fmt"

var version string

func main() { fmt.Println("hello", version) }
